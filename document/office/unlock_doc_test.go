package office

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/richardlehane/mscfb"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
)

// binaryDOC is the streams of a document of Word.
type binaryDOC struct{ main, table, data []byte }

// readDOC reads the fixture, and makes room for a header of a size in its table.
func readDOC(tb testing.TB, room int) binaryDOC {
	tb.Helper()
	const offsets = 0x9a // of the main stream, where the pairs of the table's start; their number comes before
	f, err := os.Open("testdata/agreement.doc")
	require.NoError(tb, err)
	defer f.Close()
	compound, err := mscfb.New(f)
	require.NoError(tb, err)
	d := binaryDOC{table: make([]byte, room), data: bytes.Repeat([]byte("pictures\x00\x00\x00\x00\x00\x00\x00\x00"), 512)}
	for _, s := range compound.File {
		content, err := io.ReadAll(s)
		require.NoError(tb, err)
		switch s.Name {
		case "WordDocument":
			d.main = content
		case "1Table":
			d.table = append(d.table, content...)
		}
	}
	d.main, d.table = sectors(d.main), sectors(d.table)
	for i := range int(binary.LittleEndian.Uint16(d.main[offsets-2:])) {
		if pair := d.main[offsets+8*i:]; binary.LittleEndian.Uint32(pair[4:]) > 0 {
			binary.LittleEndian.PutUint32(pair, binary.LittleEndian.Uint32(pair)+uint32(room))
		}
	}
	return d
}

// sectors fills a stream up as compound files of the tests do, so that it is encrypted whole.
func sectors(b []byte) []byte {
	return append(b, make([]byte, max((len(b)+511)/512*512, 4096)-len(b))...)
}

func (d binaryDOC) file(tb testing.TB) []byte {
	tb.Helper()
	return formattest.Compound(tb, "WordDocument", string(d.main), "1Table", string(d.table), "Data", string(d.data))
}

// encrypted is d with the header in the table, and blocks that a cipher encrypts.
func (d binaryDOC) encrypted(flags byte, key uint32, header []byte, encrypt func(block uint32, data []byte)) binaryDOC {
	whole := func(plain []byte, start int) []byte {
		sealed := bytes.Clone(plain)
		for i := 0; i < len(sealed); i += 512 {
			encrypt(uint32(i/512), sealed[i:min(i+512, len(sealed))])
		}
		copy(sealed[:start], plain)
		return sealed
	}
	main := bytes.Clone(d.main)
	main[11] |= flags
	binary.LittleEndian.PutUint32(main[14:], key)
	e := binaryDOC{whole(main, 68), whole(d.table, 0), whole(d.data, 0)}
	copy(e.table, header)
	return e
}

const docSalt, docVerifier = "sixteen of salt.", "sixteen to check"

func utf16Of(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" } // of ASCII

// sealedWith encrypts d with RC4, whose keys are derived by keyOf.
func sealedWith(tb testing.TB, d binaryDOC, start string, between string, sum func([]byte) []byte, keyOf func(block string) []byte) binaryDOC {
	tb.Helper()
	stream := func(block uint32) *rc4.Cipher {
		c, err := rc4.NewCipher(keyOf(string(binary.LittleEndian.AppendUint32(nil, block))))
		require.NoError(tb, err)
		return c
	}
	c, verifier, hashed := stream(0), []byte(docVerifier), sum([]byte(docVerifier))
	c.XORKeyStream(verifier, verifier)
	c.XORKeyStream(hashed, hashed)
	header := []byte(start + docSalt + string(verifier) + between + string(hashed))
	return d.encrypted(1, uint32(len(header)), header, func(block uint32, data []byte) { stream(block).XORKeyStream(data, data) })
}

func md5Of(b []byte) []byte  { s := md5.Sum(b); return s[:] }
func sha1Of(b []byte) []byte { s := sha1.Sum(b); return s[:] }

// sealRC4 encrypts a document as Word 97 does ([MS-OFFCRYPTO] 2.3.6.2).
func sealRC4(tb testing.TB, password string) (sealed, plain binaryDOC) {
	tb.Helper()
	plain = readDOC(tb, 52)
	h := md5Of([]byte(utf16Of(password)))[:5]
	h = md5Of([]byte(strings.Repeat(string(h)+docSalt, 16)))[:5]
	return sealedWith(tb, plain, "\x01\x00\x01\x00", "", md5Of, func(block string) []byte { return md5Of([]byte(string(h) + block)) }), plain
}

// cryptoAPI is the header of a document that is encrypted as Word 2002 does, but for the salt.
func cryptoAPI(algorithm string, bits byte) string {
	provider := utf16Of("Base Provider\x00")
	return "\x04\x00\x02\x00\x04\x00\x00\x00" + string([]byte{byte(32 + len(provider)), 0, 0, 0}) + "\x04\x00\x00\x00\x00\x00\x00\x00" + algorithm +
		string([]byte{bits, 0, 0, 0}) + "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + provider + "\x10\x00\x00\x00"
}

const rc4AndSHA1 = "\x01\x68\x00\x00\x04\x80\x00\x00"

// sealCryptoAPI encrypts a document as Word 2002 does (2.3.5.2).
func sealCryptoAPI(tb testing.TB, password string, bits byte) (sealed, plain binaryDOC) {
	tb.Helper()
	start := cryptoAPI(rc4AndSHA1, bits)
	plain = readDOC(tb, len(start)+16+16+4+20)
	h := sha1Of([]byte(docSalt + utf16Of(password)))
	return sealedWith(tb, plain, start, "\x14\x00\x00\x00", sha1Of, func(block string) []byte {
		switch key := sha1Of([]byte(string(h) + block)); bits {
		case 0, 40:
			return append(key[:5], make([]byte, 11)...)
		default:
			return key[:bits/8]
		}
	}), plain
}

// sealXOR obfuscates a document with what comes of the password "password", whose verifier
// is one that Word is known to make of it.
func sealXOR(tb testing.TB) (sealed, plain binaryDOC) {
	tb.Helper()
	plain = readDOC(tb, 0)
	array := []byte("password\xbb\xff\xff\xba\xff\xff\xb9\x80")
	for i := range array {
		b := array[i] ^ [2]byte{0x7a, 0x14}[i%2]
		array[i] = b>>1 | b<<7
	}
	return plain.encrypted(1|0x80, 0x147a83af, nil, func(_ uint32, data []byte) {
		for i, b := range data {
			if b != 0 && b != array[i%16] {
				data[i] ^= array[i%16]
			}
		}
	}), plain
}

// TestUnlockDOC opens a document that LibreOffice encrypted, and ours in each way. It read
// those too.
func TestUnlockDOC(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/rc4.doc")
	require.NoError(t, err)
	readUnlocked(t, requireUnlocks(t, "LibreOffice", data, protected))
	for name, seal := range map[string]func() (binaryDOC, binaryDOC){
		"RC4":     func() (binaryDOC, binaryDOC) { return sealRC4(t, "password") },
		"Default": func() (binaryDOC, binaryDOC) { return sealCryptoAPI(t, "password", 0) },
		"40":      func() (binaryDOC, binaryDOC) { return sealCryptoAPI(t, "password", 40) },
		"56":      func() (binaryDOC, binaryDOC) { return sealCryptoAPI(t, "password", 56) },
		"128":     func() (binaryDOC, binaryDOC) { return sealCryptoAPI(t, "password", 128) },
		"XOR":     func() (binaryDOC, binaryDOC) { return sealXOR(t) },
	} {
		sealed, plain := seal()
		open := requireUnlocks(t, name, sealed.file(t), "password")
		require.True(t, bytes.Equal(plain.file(t), open), name)
		if name == "128" {
			readUnlocked(t, open)
		}
	}
}

// requireUnlocks requires that a password alone opens a document.
func requireUnlocks(tb testing.TB, name string, data []byte, password string) []byte {
	tb.Helper()
	_, err := sniff.File(tb.Context(), bytes.NewReader(data), int64(len(data)), "a.doc", format.DefaultLimits())
	formattest.RequireCode(tb, fault.PasswordProtected, err)
	for _, wrong := range []string{"", strings.ToUpper(password), password + "\x00"} {
		_, err := unlocked(data, wrong)
		formattest.RequireCode(tb, fault.PasswordProtected, err)
	}
	open, err := unlocked(data, password)
	require.NoError(tb, err, name)
	kind, err := sniff.File(tb.Context(), bytes.NewReader(open), int64(len(open)), "a.doc", format.DefaultLimits())
	require.NoError(tb, err, name)
	require.Equal(tb, format.DOC, kind, name)
	return open
}

// readUnlocked requires the fixture's text of a document.
func readUnlocked(tb testing.TB, open []byte) {
	tb.Helper()
	converter, err := exec.LookPath("soffice")
	if err != nil {
		return
	}
	f, err := openDOC(converter)(tb.Context(), formattest.TempFile(tb, "a", open), format.DefaultLimits())
	require.NoError(tb, err)
	var text string
	require.NoError(tb, f.Extract(tb.Context(), 1, format.AllPages, func(p format.Page) error { text += p.Text; return nil }))
	require.NoError(tb, f.Close())
	require.Contains(tb, text, "The term is sixty days.")
	require.Contains(tb, text, "Signed in München.")
}

// TestUnlockXORPassword has a password whose characters became bytes of a code page, as
// programs other than Word have it, and one that is longer than what counts.
func TestUnlockXORPassword(t *testing.T) {
	t.Parallel()
	for password, secret := range map[string]string{
		"20 €":              "20 \x80",
		"Ā Ж":               "\x01 \x16",
		"fifteen and mores": "fifteen and mor",
	} {
		_, err := openXOR(uint32(xorKey([]byte(secret)))<<16|uint32(xorVerifier([]byte(secret))), password)
		require.NoError(t, err, password)
	}
}

// TestUnlockDOCUnsound has documents that are damaged, or encrypted in other ways.
func TestUnlockDOCUnsound(t *testing.T) {
	t.Parallel()
	sound, _ := sealCryptoAPI(t, "password", 128)
	for name, c := range map[string]struct {
		change func(d *binaryDOC)
		want   fault.Code
	}{
		"NoTable":   {func(d *binaryDOC) { d.main[11] &^= 2 }, fault.CorruptFile},
		"Open":      {func(d *binaryDOC) { d.main[11] &^= 1 }, fault.UnsupportedType},
		"Word95":    {func(d *binaryDOC) { d.main[2], d.main[3] = 0x65, 0 }, fault.UnsupportedType},
		"NoHeader":  {func(d *binaryDOC) { clear(d.main[14:18]) }, fault.CorruptFile},
		"LongKey":   {func(d *binaryDOC) { d.main[16] = 1 }, fault.CorruptFile},
		"HugeKey":   {func(d *binaryDOC) { d.main[17] = 0xff }, fault.CorruptFile},
		"Version":   {func(d *binaryDOC) { d.table[0] = 9 }, fault.UnsupportedType},
		"Size":      {func(d *binaryDOC) { d.table[11] = 0xff }, fault.CorruptFile},
		"Small":     {func(d *binaryDOC) { d.table[8] = 31 }, fault.CorruptFile},
		"Algorithm": {func(d *binaryDOC) { copy(d.table[20:], "\x0e\x66") }, fault.UnsupportedType},
		"Hash":      {func(d *binaryDOC) { d.table[24] = 3 }, fault.UnsupportedType},
		"Bits":      {func(d *binaryDOC) { d.table[28] = 129 }, fault.UnsupportedType},
		"Salt":      {func(d *binaryDOC) { d.table[80] ^= 1 }, fault.PasswordProtected},
	} {
		d := binaryDOC{bytes.Clone(sound.main), bytes.Clone(sound.table), sound.data}
		c.change(&d)
		_, err := unlocked(d.file(t), "password")
		require.Equal(t, c.want, fault.CodeOf(err), "%s: %v", name, err)
	}
	whole := sound.file(t)
	_, err := unlocked(whole[:len(whole)-1024], "password")
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
	_, err = unlocked(formattest.Compound(t, "WordDocument", string(sound.main)), "password")
	require.Equal(t, fault.CorruptFile, fault.CodeOf(err))
}

func FuzzUnlockDOC(f *testing.F) {
	rc4, _ := sealRC4(f, "password")
	api, _ := sealCryptoAPI(f, "password", 40)
	for _, d := range []binaryDOC{rc4, api} {
		f.Add(string(d.main[:docHead]), string(d.table[:256]))
	}
	f.Add("\xec\xa5\xc1\x00\x00\x00\x00\x00\x00\x00\x00\x83\x00\x00\xaf\x83\x7a\x14"+strings.Repeat("x", docHead), "")
	f.Fuzz(func(t *testing.T, head, table string) {
		if len(head)+len(table) > 16<<10 {
			t.Skip("more than a compound file of the tests holds")
		}
		data := formattest.Compound(t, "WordDocument", head, "1Table", table)
		if open, err := unlocked(data, "password"); err == nil {
			require.Len(t, open, len(data))
			_, err := sniff.File(t.Context(), bytes.NewReader(open), int64(len(open)), "a.doc", format.DefaultLimits())
			require.NoError(t, err)
		}
	})
}
