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
