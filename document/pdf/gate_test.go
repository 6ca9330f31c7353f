package pdf

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/layout"
)

// A clause in the languages whose spelling the gate knows, and in some that it
// does not.
var clauses = map[string]string{
	"English":    "This Agreement shall be governed by the laws of the State of Delaware. Either party may terminate this Agreement upon thirty days written notice to the other party, and such termination shall not affect any rights accrued.",
	"German":     "Der Auftragnehmer verpflichtet sich, die vereinbarten Leistungen fristgerecht zu erbringen. Die Haftung für leichte Fahrlässigkeit ist ausgeschlossen, soweit nicht Schäden aus der Verletzung des Lebens betroffen sind.",
	"French":     "Le prestataire s'engage à exécuter les prestations prévues au présent contrat. Chacune des parties peut résilier le contrat moyennant un préavis de trente jours adressé par lettre recommandée avec accusé de réception.",
	"Spanish":    "El presente contrato se regirá por las leyes del Reino de España. Cualquiera de las partes podrá resolver el contrato mediante notificación por escrito con treinta días de antelación.",
	"Italian":    "Il presente contratto è regolato dalla legge italiana. Ciascuna delle parti potrà recedere dal contratto mediante comunicazione scritta da inviarsi con raccomandata con ricevuta di ritorno.",
	"Dutch":      "Deze overeenkomst wordt beheerst door Nederlands recht. Ieder der partijen is bevoegd deze overeenkomst schriftelijk op te zeggen met inachtneming van een opzegtermijn van dertig dagen.",
	"Polish":     "Niniejsza umowa podlega prawu polskiemu. Każda ze stron może wypowiedzieć umowę z zachowaniem trzydziestodniowego okresu wypowiedzenia. Wszelkie spory będą rozstrzygane przez sąd właściwy dla siedziby powoda.",
	"Czech":      "Tato smlouva se řídí právním řádem České republiky. Každá ze smluvních stran může smlouvu vypovědět písemnou výpovědí s třicetidenní výpovědní lhůtou.",
	"Swedish":    "Detta avtal ska tolkas och tillämpas i enlighet med svensk lag. Vardera parten får säga upp avtalet med iakttagande av en uppsägningstid om trettio dagar.",
	"Finnish":    "Tähän sopimukseen sovelletaan Suomen lakia. Kumpikin osapuoli voi irtisanoa sopimuksen kirjallisesti kolmenkymmenen päivän irtisanomisajalla.",
	"Turkish":    "İşbu sözleşme Türkiye Cumhuriyeti kanunlarına tabidir. Taraflardan her biri otuz gün önceden yazılı bildirimde bulunmak suretiyle sözleşmeyi feshedebilir.",
	"Hungarian":  "A jelen szerződésre a magyar jog az irányadó. Bármelyik fél jogosult a szerződést harminc napos felmondási idővel írásban felmondani.",
	"Indonesian": "Perjanjian ini diatur oleh hukum Negara Republik Indonesia. Masing-masing pihak dapat mengakhiri perjanjian ini dengan pemberitahuan tertulis tiga puluh hari sebelumnya.",
	"Vietnamese": "Hợp đồng này được điều chỉnh bởi pháp luật Việt Nam. Mỗi bên có quyền chấm dứt hợp đồng bằng thông báo bằng văn bản trước ba mươi ngày.",
	"Russian":    "Настоящий договор регулируется законодательством Российской Федерации. Каждая из сторон вправе расторгнуть договор, письменно уведомив другую сторону за тридцать дней.",
	"Greek":      "Η παρούσα σύμβαση διέπεται από το ελληνικό δίκαιο. Κάθε συμβαλλόμενο μέρος δικαιούται να καταγγείλει τη σύμβαση με έγγραφη ειδοποίηση τριάντα ημερών.",
	"Chinese":    "本协议受中华人民共和国法律管辖。任何一方均可提前三十日书面通知另一方终止本协议。因本协议引起的争议应提交仲裁。",
	"Arabic":     "يخضع هذا العقد لقوانين الدولة. يجوز لأي من الطرفين إنهاء العقد بموجب إشعار كتابي مدته ثلاثون يوما إلى الطرف الآخر.",
}

// garble maps the characters of a text as broken fonts do.
type garble struct {
	name string
	f    func(r *rand.Rand, text string) string
}

func mapped(f func(rune) rune) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, text string) string { return strings.Map(f, text) }
}

var garbles = []garble{
	{"LettersPermuted", func(r *rand.Rand, text string) string {
		to := r.Perm(26)
		return strings.Map(func(c rune) rune {
			switch {
			case c >= 'a' && c <= 'z':
				return 'a' + rune(to[c-'a'])
			case c >= 'A' && c <= 'Z':
				return 'A' + rune(to[c-'A'])
			}
			return c
		}, text)
	}},
	{"AllPermuted", func(r *rand.Rand, text string) string {
		to := r.Perm('~' - '!' + 1)
		return strings.Map(func(c rune) rune {
			if c >= '!' && c <= '~' {
				return '!' + rune(to[c-'!'])
			}
			return c
		}, text)
	}},
	{"Shifted", mapped(func(c rune) rune {
		if c >= '!' && c <= '~' {
			return '!' + (c-'!'+29)%('~'-'!'+1)
		}
		return c
	})},
	{"PrivateUse", mapped(func(c rune) rune {
		if c > ' ' {
			return 0xE000 + c
		}
		return c
	})},
	{"Replaced", func(r *rand.Rand, text string) string {
		return strings.Map(func(c rune) rune {
			if c > ' ' && r.IntN(5) == 0 {
				return unicode.ReplacementChar
			}
			return c
		}, text)
	}},
	{"Controls", mapped(func(c rune) rune {
		if i := strings.IndexRune("etaoin", c); i >= 0 {
			return 0x0E + rune(i)
		}
		return c
	})},
	{"SecondHalf", func(r *rand.Rand, text string) string {
		to := r.Perm(26)
		half := len(text) / 2
		return text[:half] + strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' {
				return 'a' + rune(to[c-'a'])
			}
			return c
		}, text[half:])
	}},
}

// verdict judges a page that holds text and nothing else.
func verdict(text string) format.Reason {
	var glyphs []glyph
	for _, r := range text {
		glyphs = append(glyphs, glyph{r: r})
	}
	var page format.Page
	lines := splitLines(glyphs)
	assemble(&page, lines, usualLeading(lines))
	return judge(page.Text, len(page.Words), 0, count(glyphs), content{texts: 1})
}

func TestGateBelievesLanguages(t *testing.T) {
	t.Parallel()
	for language, clause := range clauses {
		require.Equal(t, format.ReasonGood, verdict(clause), "%s: %.2f", language, implausible(clause))
	}
}

func TestGateKnowsGarbledText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range garbles[:len(garbles)-1] {
		found := 0
		for range 100 {
			if verdict(g.f(r, clauses["English"])).NeedsOCR() {
				found++
			}
		}
		require.GreaterOrEqual(t, found, 90, g.name)
	}
}

func TestGateReasons(t *testing.T) {
	t.Parallel()
	good := clauses["English"]
	all := func(text string) tally { return tally{drawn: len(text)} }
	for name, test := range map[string]struct {
		text      string
		words     int
		imageArea float32
		tally     tally
		content   content
		want      format.Reason
	}{
		"Good":            {text: good, words: 300, tally: all(good), content: content{texts: 20}, want: format.ReasonGood},
		"Empty":           {want: format.ReasonBlank},
		"Drawn":           {content: content{drawings: 3}, want: format.ReasonNoText},
		"Scan":            {imageArea: 1, content: content{images: make([]placed, 1)}, want: format.ReasonNoText},
		"StampedScan":     {text: good, words: 12, imageArea: 1, tally: all(good), content: content{texts: 2, images: make([]placed, 1)}, want: format.ReasonImage},
		"RecognisedScan":  {text: good, words: 12, imageArea: 1, tally: all(good), content: content{texts: 2, invisible: 2, images: make([]placed, 1)}, want: format.ReasonGood},
		"Letterhead":      {text: good, words: 300, imageArea: 1, tally: all(good), content: content{texts: 9, images: make([]placed, 1)}, want: format.ReasonGood},
		"Logo":            {text: good, words: 12, imageArea: 0.1, tally: all(good), content: content{texts: 2, images: make([]placed, 1)}, want: format.ReasonGood},
		"References":      {text: "(cid:12)(cid:7) (cid:101)", words: 2, tally: tally{drawn: 23}, content: content{texts: 1}, want: format.ReasonCID},
		"FewWords":        {text: "Xqzt 12", words: 2, tally: tally{drawn: 6}, content: content{texts: 1}, want: format.ReasonGood},
		"GarbledLayer":    {text: garbles[0].f(rand.New(rand.NewPCG(3, 4)), good), words: 300, imageArea: 1, tally: all(good), content: content{texts: 2, invisible: 2, images: make([]placed, 1)}, want: format.ReasonImplausible},
		"Unmapped":        {text: good, words: 300, tally: tally{drawn: 100, replaced: 6}, content: content{texts: 1}, want: format.ReasonReplacement},
		"PrivateGlyphs":   {text: good, words: 300, tally: tally{drawn: 100, private: 11}, content: content{texts: 1}, want: format.ReasonPrivateUse},
		"OneStrangeGlyph": {text: good, words: 300, tally: tally{drawn: 100, private: 1, replaced: 1}, content: content{texts: 1}, want: format.ReasonGood},
	} {
		require.Equal(t, test.want, judge(test.text, test.words, test.imageArea, test.tally, test.content), name)
	}
}

func TestGateBelievesNumbersAndCodes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Exhibit 10.1 10-K/A F-1 8-K S-1/A 10-Q 20-F 6-K CUSIP 037833100 ISIN US0378331005 1,250.00 $3,000.00",
		"[***] [*****] ______ ........ (a)(ii) (B)(iv)(1) §4.2(c) **** ---- ==== #### ~~~~ A/B/C/D and/or",
		"24.1 3.365 29 4.1 33.9 4.835 38.8 5.06 43.7 5.1 48.6 4.56 API GRAV DIFF/BBL API GRAV DIFF/BBL API GRAV DIFF/BBL",
		"VAL/MAD/PVTINV/DC/190305/1 john.smith@example.com www.example.com/a/b?c=d&e=f +1 (555) 010-9999 LLC L.P. GmbH B.V.",
	} {
		require.Equal(t, format.ReasonGood, verdict(text), "%s: %.2f", text, implausible(text))
	}
}

// TestGateOnContracts measures the gate on every page of real contracts, as it
// is and garbled in every way: it may send one good page in 500 to recognition,
// and must find 99 of 100 garbled ones; pages garbled by half are harder.
func TestGateOnContracts(t *testing.T) {
	t.Parallel()
	engine := testEngine(t)
	r := rand.New(rand.NewPCG(5, 6))
	var texts []string
	good, wrong := 0, 0
	for _, c := range contracts(t) {
		extractAll(t, engine, c.PDF, func(p format.Page) {
			if len(p.Words) == 0 {
				return
			}
			good++
			if p.NeedsOCR {
				wrong++
				t.Logf("%s page %d: %s", c.ID, p.Number, p.Reason)
			}
			if len(p.Words) >= 30 {
				texts = append(texts, p.Text)
			}
		})
	}
	t.Logf("%d of %d good pages refused", wrong, good)
	require.LessOrEqual(t, wrong*500, good)
	for _, g := range garbles {
		found := 0
		for _, text := range texts {
			if verdict(g.f(r, text)).NeedsOCR() {
				found++
			}
		}
		t.Logf("%s: found %d of %d (%.2f %%)", g.name, found, len(texts), 100*ratio(found, len(texts)))
		least := 0.99
		if g.name == "SecondHalf" {
			least = 0.9
		}
		require.GreaterOrEqual(t, ratio(found, len(texts)), least, g.name)
	}
}

func FuzzGate(f *testing.F) {
	for _, clause := range clauses {
		f.Add(clause)
	}
	f.Add("(cid:1)\uE000\uFFFD\x00\ufb01 a\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		var glyphs []glyph
		for i, r := range []rune(text) {
			x := float32(i % 80 * 6)
			glyphs = append(glyphs, glyph{r: r, box: layout.Box{X0: x, Y0: 0, X1: x + 5, Y1: 10}})
		}
		page := format.Page{Page: layout.Page{Width: 612, Height: 792}}
		lines := splitLines(glyphs)
		assemble(&page, lines, usualLeading(lines))
		formattest.CheckPage(t, page)
		require.NotEmpty(t, judge(page.Text, len(page.Words), 0, count(glyphs), content{texts: 1}))
	})
}

// TestConfirms compares what recognition read with layers that look garbled.
func TestConfirms(t *testing.T) {
	t.Parallel()
	good := clauses["English"]
	words := strings.Fields(good)
	half := strings.Join(words[:len(words)/2], " ")
	garbled := garbles[0].f(rand.New(rand.NewPCG(3, 4)), good)
	codes := "Grbflx Qwtzkr Vbnmcd Xsplrt Zmrkqw"
	for name, test := range map[string]struct {
		read, layer string
		want        bool
	}{
		"Same":        {good, good, true},
		"Garbled":     {good, garbled, false},
		"HalfGarbled": {good, half + " " + garbled, false},
		"Codes":       {codes, codes, true},
		"OtherCodes":  {codes, strings.ToUpper(codes), false},
		"CodesBeside": {"All codes are listed here: ~ Grbflk", "All codes are listed here: " + codes, true},
		"Spaces":      {"T estS uite of fonts", "TestSuite of fonts", true},
		"Misread":     {"The Tenant shall pay the rnonthly rent before the tenth working day", "The Tenant shall pay the monthly rent before the tenth working day", true},
		"Signs":       {"Names of the arrows " + "tjlilvernun tbvuveoetlve", "Names of the arrows " + strings.Repeat("➓ ➔ → ", 10), true},
		"OnlySigns":   {good, "Names " + strings.Repeat("➓ ➔ → ", 1000), false},
		"NothingRead": {"", garbled, false},
		"Marks":       {"~ . 12", garbled, false},
		"NoLayer":     {good, "", false},
	} {
		require.Equal(t, test.want, Confirms(test.read, test.layer), name)
	}
}

// TestGateKnowsMixedScripts has a font whose letters are told as those of many scripts.
// Where scripts do stand in one word, they are believed.
func TestGateKnowsMixedScripts(t *testing.T) {
	t.Parallel()
	const noise = "اور㩈ِا⤶ تین䋔㶜 ہیں石ور ب䫑د۔ ᄎاوᄹ گیاᒒؤ ٱرومᄒئ اسب䗂ںⴑ کر䜫و ᄊرىر ميں䮨䊒"
	require.Equal(t, format.ReasonImplausible, verdict(noise), "%.2f", implausible(noise))
	for _, text := range []string{
		"甲方ABC有限公司与乙方SK하이닉스株式會社签订本合同 第1条 契約 カタカナひらがな漢字 이契約은2024년 주식회사삼성電子와계약 株式会社ソニーと契約 ТехноСервис-Logistik",
		"Договор аренды ООО ТехноLine и Арендатор EURоценка μmετρο Ωmega الشركةABC المحدودة חברתXYZ בערבון מוגבל หนังสือสัญญาABCฉบับ अनुबंधXYZ",
	} {
		require.Equal(t, format.ReasonGood, verdict(text), "%s: %.2f", text, implausible(text))
	}
}
