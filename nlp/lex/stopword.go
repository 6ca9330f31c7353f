package lex

// Stopwords are the words of English grammar and the few that contracts add to
// it. Words that carry meaning in a contract (party, term, notice) are none.
var Stopwords = Set(`a about above after again against all also am among an and any are aren't as at be because been before being below
	between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else
	ever every few for from further had hadn't has hasn't have haven't having he he'd he'll her here hers herself him himself
	his how however i i'd i'll i'm i've if in into is isn't it its itself let's may me might more most must mustn't my myself
	neither no nor not of off on once one only or other others ought our ours ourselves out over own per same shall she she'd she'll
	should shouldn't so some such than that the their theirs them themselves then there these they they'd they'll they're
	they've this those through thus to too two under until unless up upon us very via was wasn't we we'd we'll we're we've were weren't what
	when where whether which while who whom whose why will with within without won't would wouldn't yet you you'd you'll
	you're you've your yours yourself yourselves
	aforementioned aforesaid foregoing hereafter hereby herein hereinafter hereinabove hereinbelow hereof hereto heretofore
	hereunder herewith notwithstanding said thereafter thereby therefor therefore therefrom therein thereof thereon thereto
	thereunder therewith whatsoever whereas whereby wherein whereof whereupon witnesseth`)

// StopwordsOf returns the words of the grammar of a language, an ISO 639-1 code; those of
// English where there are none of it. Articles that are written together with their word
// stay with it: "l'accord".
func StopwordsOf(language string) map[string]bool {
	if words := stopwords[language]; words != nil {
		return words
	}
	return Stopwords
}

var stopwords = map[string]map[string]bool{
	"de": Set(`aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen damit danach dann daran darauf daraus darf dass daß das dasselbe davon dazu
		dein deine dem den denen denn der deren derer des desselben dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa etwas euer eure falls für gegen gemäß hat hatte hätte haben hier hierbei
		hierfür hiermit hiervon hierzu ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem insbesondere insoweit ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes kann kein keine keinem keinen keiner können könnte mehr mein meine
		mit muss müssen nach nachdem nicht nichts noch nur ob oder ohne sehr sein seine seinem seinen seiner seines selbst sich sie sind so sofern solche solchem solchen solcher solches soll sollen sollte sondern sonst soweit sowie über um und uns unser unsere unter
		vom von vor während war waren warum was weder weil welche welchem welchen welcher welches wenn wer werden wie wieder wir wird wo worden wurde wurden würde zu zum zur zwar zwischen`),
	"fr": Set(`a à afin ai ainsi alors après au aucun aucune aussi autre autres aux avait avant avec avoir car ce ceci cela celle celles celui cependant ces cet cette ceux chaque ci comme dans de des deux dont donc du durant elle elles en encore entre est et étaient
		était étant été être eux fait font il ils je jusque la le ledit ladite lesdits lesdites les leur leurs lors lorsque lui mais même mêmes moins ne ni nos notre nous on ont or ou où par pas pendant peut peuvent plus pour pourra pourront puis quand que quel quelle
		quelles quels qui quoi sa sans sauf se selon sera seront ses si sien soit son sont sous sur ta tant te tel telle telles tels tes toi ton tous tout toute toutes toutefois très tu un une vers vos votre vous y`),
	"es": Set(`a al algo alguna algunas alguno algunos ambas ambos ante antes aquel aquella aquellas aquellos aquello así aunque bajo cada como con conforme contra cual cuales cualquier cualquiera cuando cuya cuyas cuyo cuyos de del desde dicha dichas dicho dichos donde
		durante e el él ella ellas ello ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos fue fueron ha haber había habrá han hasta hay la las le les lo los más me mediante mi mientras muy ni no nos nosotros o os otra otras otro otros
		para pero podrá podrán por porque que qué quien quienes se según ser será serán si sí sido sin sino sobre son su sus también tampoco tan tanto te toda todas todo todos tras tu u un una unas uno unos y ya yo`),
	"it": Set(`a ad agli ai al alla alle allo anche ancora avere c che chi ci ciascun ciascuna ciascuno ciò come con contro cui da dagli dai dal dalla dalle dallo degli dei del della delle dello dello di dopo dove durante e è ed egli era erano essa esse essere essi esso
		fino fra gli ha hanno i il in io la le lei li lo loro lui ma mediante mi nei negli nel nella nelle nello né noi non nonché o od ogni oltre ove per perché però più presso prima può possono qual quale quali qualora qualsiasi quando quanto quella quelle quelli quello questa
		queste questi questo sarà saranno se secondo sempre senza si sia siano sono sotto stata state stati stato su sua sue sugli sui sul sulla sulle sullo suo suoi tale tali tra tutta tutte tutti tutto un una uno vi voi`),
	"nl": Set(`aan af al alle alleen als alsmede ander andere anders behoudens bij binnen daar daarbij daardoor daarin daarmee daarna daarop daartoe daarvan daarvoor dan dat de deze die dient dit doch doen door dus een één eigen elk elke en enig enige er ervan geen ge
		geweest had hadden heb hebben heeft hem het hetgeen hierbij hiermee hiervan hierna hij hoe hun ieder iedere iemand in indien ingevolge is ja je kan kon kunnen met mits mag mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook op over reeds sinds
		slechts te tegen ten tenzij ter tot tussen u uit uw van vanaf veel voor voorts waar waarbij waarin waarop waarvan wanneer want waren was wat welke werd werden wie wij wordt worden zal zelf zich zij zijn zijnde zo zoals zodat zodra zonder zou zouden zullen`),
}
