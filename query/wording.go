package query

import "slices"

// rewordings are the other wordings, told in words that the rules read.
var rewordings = slices.Concat(wordings(asides), wordings(kinds), wordings(shapes), wordings(spans), wordings(conditions), bearings())

// asides ask for nothing: why somebody asks, of whom, and how sure he is.
const asides = `
	^ give me one|a number|figure =>
	^ flag|highlight|mark|surface|note|isolate|select|pick|choose|detail|outline|track|monitor out? => list
	^ do me a favour|favor and =>
	at stake =>
	^ would|is|might it be? possible to have|get|see|show|list|know|obtain => show
	^ just|only the|a|an? {A=number|count|total|list|names} => {A}
	^ not sure {A} , but =>
	^ i'm|i am? not sure|certain {A} , but =>
	with anybody|anyone|somebody|someone $ =>
	concentration|allocation|composition|mix|structure of => breakdown of
	hand|pass me|us => give me
	^ how would|do|can|could|should|might i|we|one find|see|get|list|identify|locate|spot => list
	^ take|consider|grab|fetch|collect|gather|export|download|print|compile {A} and|, group|split|sort|break|divide|arrange them|it|those|these down|up? by {B} => {A} by {B}
	^ group|bucket|cluster|arrange|split|slice|divide {A} by {B} and|, then? sum|total|add|aggregate up? the|their? {C} => total {C} of {A} by {B}
	^ group|bucket|cluster|arrange|split|slice|divide {A} by {B} and|, then? average the|their? {C} => average {C} of {A} by {B}
	^ group|bucket|cluster|arrange|split|slice|divide {A} by {B} and|, then? count them|these|those? => number of {A} by {B}
	^ filter|restrict|narrow|limit down? to|on|for|by {A} and|, then? show|list|give|count|sum me|us? {B} by {C} => {B} in {A} by {C}
	^ filter|restrict|narrow|limit down? to|on|for|by {A} and|, then? show|list|give|count|sum me|us? {B} => {B} in {A}
	^ only|just {A=signed|active|expired|draft|terminated} {B=contracts|agreements|leases|ndas|msas} {C} => {C} of {A} {B}
	^ of all? our|the? {A} , which|what ones? => which {A}
	^ of all? our|the? {A} , which|what of them|those => which {A}
	{A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} , governing law $ => {A} by governing law
	{A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} , {B=law|jurisdiction|type|region|stage|status|language|currency} $ => {A} by {B}
	{A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} ,? {B} , {C} , {D} $ => {A} with their {B} , {C} , {D}
	{A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} , {B} , {C} $ => {A} with their {B} , {C}
	without our|us|anyone|anybody doing|having to do|act anything? =>
	inclusive|inclusively =>
	with|including|and counts|numbers|figures|frequencies|totals $ =>
	with|including the count|number|total|figure of? each? $ =>
	we? ever made|did|signed|had|closed|concluded|struck $ =>
	that|which? we|us have|'ve? ever? made|done $ =>
	^ i|we am|are|have|work|prepare|need|'m|'re {A} and|so i|we? need|want|require => list
	but only for => for
	but only those? with => with
	but only in => in
	but only those? under => under
	but only if => which
	list|show|give|display|find me|us? only|just => list
	^ remind me|us of? => show
	^ remind me|us which|what|how|who|when => which
	^ quick|one|another|next|simple|a|short question =>
	^ quick|last one|thing =>
	^ one|two more thing|question =>
	^ i'm|im|i|am am? curious which|how|what => which
	^ out of curiosity =>
	^ just curious|checking =>
	^ fyi =>
	^ from a|an|our|the {A} perspective|viewpoint|angle|standpoint =>
	^ from a|an|our|the {A} point of view =>
	^ for my|our|the|a|an|this {A} meeting|pack|report|audit|presentation|budget|forecast|memo|deck|slide|slides|briefing|planning|submission|filing|disclosure|workshop|review|paper|minutes|round|call|update , =>
	for my|our|the|a|an|this|tomorrow's|today's|next {A} meeting|pack|report|presentation|forecast|memo|deck|slide|slides|briefing|submission|paper|call|update $ =>
	for my|our|the|an? audit|report|budget|presentation|auditors|board|records|meeting|deck $ =>
	i.e.|ie|viz|i.e|namely =>
	for reference|completeness|clarity|context|once =>
	for the record|avoidance =>
	, for the avoidance of doubt =>
	in order to {A} $ =>
	so|such that we|i|they|he|she|you can|could|will|know|may|might {A} $ =>
	so we|i|they|he|she|you can|could|will|know|may|might|don't|do {A} $ =>
	,? as|since|because i|we need|have|want|must|am|are {A} $ =>
	when we|i renegotiate|negotiate|decide|sign|talk|meet $ =>
	as far as we|i|you know|see|can|are|tell see|tell|aware? =>
	to our|my|the best? of? our? knowledge =>
	if you|we can|could|would|don't mind? =>
	if that|it is|makes? possible|sense|helpful =>
	if there are|is any|some =>
	if at all =>
	off the top of your head =>
	at a|one|first glance =>
	in one go|view|place|table|shot|list =>
	in a nutshell =>
	first of all =>
	to start|begin with =>
	to be clear|sure|precise|exact|honest|specific =>
	all told|things|in|considered all|considered? =>
	as of|at now|today|right|present now? =>
	as we speak =>
	as it|things stands|stand =>
	at this|the point|time|stage|moment =>
	at this|the point|time in time =>
	these days =>
	by any chance =>
	exactly|precisely|roughly|approximately|realistically|broadly|presently|officially|formally|actually|ideally|apparently|supposedly|simply|merely|purely|literally|honestly|frankly|obviously|clearly|essentially|strictly|please|anyway|though|somehow|anywhere|altogether|presumably|basically|technically|explicitly|expressly|specifically =>
	in practice|fact|reality|theory|essence|short|effect|principle =>
	more or less =>
	, thanks|cheers|please|ta $ =>
	and|, list|show|name|give them|it|these|those|me? them? $ =>
	,|and just|only? the? names|list|titles please|only? $ =>
	thanks|cheers|ta|thx $ =>
	that|which|who we know of|about =>
	we know of|about =>
	that|which exist|exists =>
	in|on|to|from|into|inside|across|within|of the|our|this dataroom|vault|repository|database|platform|tool|library|register|index|folder|system|book|books|estate =>
	in|across|within the|our organisation|organization|business|group|company|house =>
	in|on|to|from|into|inside|across|within the|our|this data|contract|document|contracts room|vault|repository|database|platform|tool|library|register|portfolio|base|estate|management? system? =>
	here|there|in|around here|there|house $ =>
	under|in|within our|my|the responsibility|remit|purview|care|custody =>
`

// kinds are what rows and fields are called otherwise.
const kinds = `
	and|with the|their|its? reason|reasons|cause|causes $ => by error
	single {A=contract|agreement|lease|loan|licence|license|nda|msa|document|file} => {A}
	fr => from
	hi => high
	lo => low
	{A=salary|rent} bill|burden|outlay|load => {A}
	wage bill|burden => salary
	a dozen => 12
	half a dozen => 6
	a couple of? => 2
	ytd => so far this year
	year to date => so far this year
	year-to-date => so far this year
	qtd => this quarter until today
	mtd => this month until today
	stuff|things|paperwork => contracts
	cost|costs|outgoings|outlays {A=per|by|for|with|in|under} => spend {A}
	by|per end|ending|finish {A=year|quarter|month|yr|qtr|mth} => by expiry {A}
	by|per start|starting|begin {A=year|quarter|month|yr|qtr|mth} => by commencement {A}
	by|per reason|cause $ => by error
	what|which kinds|types|sorts|kind|type|sort of errors|problems|failures|error|failure occurred|occur|happened|arose|came|come when|while|during|in processing|uploading|reading files|documents? $ => failed files by error
	what|which errors|problems|failures occurred|occur|happened|arose|came|come up? $ => failed files by error
	sans|minus|devoid|bereft of? => without
	free of => without
	unsigned => without a signing date
	shortest-lived|shortest-running {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas} => {A} with the shortest term
	longest-lived|longest-running {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas} => {A} with the longest term
	length of {A} in pages => number of pages of {A}
	longest|most remaining term|runtime|time|life|duration => latest expiry date
	shortest|least remaining term|runtime|time|life|duration => earliest expiry date
	provisions => clauses
	provision => clause
	the company|firm => us
	highest|best|top|most paid|earning {A=employee|employees|people|person|staff} => {A} with the highest salary
	lowest|worst|least paid|earning {A=employee|employees|people|person|staff} => {A} with the lowest salary
	papers|paperwork|records|instruments|arrangements|engagements|items|entries|docs|pieces|accords|pacts|undertakings|deals => agreements
	paper|record|instrument|arrangement|engagement|entry|accord|pact => agreement
	contractual|legal documents|agreements|arrangements|relationships|documents => agreements
	tenancies|leaseholds|rentals => leases
	tenancy|leasehold|rental => lease
	borrowings|facilities|credits|debts => loans
	purchase|buying|order orders? => purchase orders
	ndas? confidentiality|non-disclosure|secrecy agreements|undertakings|deeds => NDAs
	confidentiality|secrecy deeds|undertakings|contracts => NDAs
	framework|frame agreements|contracts => master agreements
	hire|hiring|staff|employee|labour|labor|work contracts|agreements => employment agreements
	sellers|merchants|vendor suppliers? => suppliers
	customer|client names => customers
	companies|firms|organisations|organizations|entities|businesses|parties|outfits we do business|deal|work|contract with => counterparties
	the? other side|party is|was => counterparty is
	trading? partners => counterparties
	outlay|expenditures|expenses|spendings => spend
	size|volume|amount|worth of the? loan|loans => principal of the loans
	loan|credit size|sizes|amount|amounts|volume|volumes => principal of loans
	deal|contract|agreement|order size|volume|amount|worth => contract value
	deal|contract|agreement|order sizes|volumes|amounts => contract values
	rental|rent payments|amounts|costs|cost|amount|payment => rent
	wages|wage|pay|paycheck|remuneration|compensation => salary
	security|rental deposits => deposits
	payment days|conditions|window|windows|delay|cycle|cycles => payment terms
	cancellation|termination windows|window|times|periods => notice periods
	lifespan|lifetime|longevity|tenor|running duration|time? => term
	a|the|interest rate|rates {A=above|below|over|under|of|between|higher|lower|exceeding|at} => an interest rate {A}
	liability|damages ceiling|ceilings|limits|maximum|maximums => liability cap
	choice of law => governing law
	law|legal system|systems => governing law
	country|countries|state|states of law => governing law
	forum|venue|jurisdictional law|laws => governing law
	risk class|category|score|classification|grade => risk rating
	cost ctr|center|centers|contract => cost centre
	signing|signature|execution day|days => signing date
	end|final|last day|days => end date
	start|first day|days => start date
	expirations|lapses|terminations|endings => expiry
	kind|sort|category|class|nature|form of paper|deal|instrument|document => document type
	uploaders|colleagues|teammates => users
	files|documents|contracts per colleague|teammate => files per user
`

// shapes are sentences that say the same.
const shapes = `
	{N=two|three|four|five|six|seven|eight|nine|ten|2|3|4|5|10|20} {R=leases|loans|licences|licenses|ndas|msas} with the highest|largest|biggest|longest|most {B} => top {N} {R} by {B}
	,? and who owns|runs|handles|manages them|it $ => by owner
	how many days|days' notice do we need|have for|in|under => what is the notice period in
	do|does {A} insist|rely on => in contracts with {A}
	^ how much do|does|did|would|will {A} add|amount|come|sum|total up? to $ => total contract value of {A}
	^ how large|big|high|long|small|low|short is|are our|the {S=biggest|largest|highest|longest|smallest|lowest|shortest} {B} => what is the {S} {B}
	{A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} each {B} has|have|holds => {A} per {B}
	have|has we got => do we have
	^ which {N=two|three|four|five|six|seven|eight|nine|ten|2|3|4|5|10|20} {R=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} have|has|carry|carries the {S=highest|largest|biggest|longest|lowest|smallest|shortest} {B} => {N} {R} with the {S} {B}
	^ are|is most of our|the {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} {B} $ => what percentage of our {A} are {B}
	^ are|is most {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} {B} $ => what percentage of our {A} are {B}
	^ do|does|have|has most of our|the {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} {B} $ => what percentage of our {A} {B}
	^ which {A=year|quarter|month|week} will|does? see|sees|has|have|had|saw the? most expirations|expiries {B} $ => number of contracts expiring per {A} {B} , highest first
	^ which {A=year|quarter|month|week} will|does? see|sees|has|have|had|saw the? most signings|signatures {B} $ => number of contracts signed per {A} {B} , highest first
	^ which renewals are coming|due up? {B} $ => upcoming renewals {B}
	^ which {A} occur|occurs|appear|appears|come|comes up? only|just once => {A} with only one contract
	^ latest|newest {A=contract|agreement|lease|loan|licence|license|nda|msa|document|file} per|by|for each? {B} $ => latest signing date of {A} per {B}
	^ oldest|earliest|first {A=contract|agreement|lease|loan|licence|license|nda|msa|document|file} per|by|for each? {B} $ => earliest signing date of {A} per {B}
	nobody|no-one has|have signed => without a signing date
	do|did we share with => do we have with
	^ which|what roles|parts do|does our|the counterparties have|play => contracts by counterparty role
	^ which|what role|part do we have|play most often => contracts by our role
	^ what are the different? roles|parts of? our|the counterparties have|play? => contracts by counterparty role
	^ {A} and {B} of|for|in|under each|every|all|the|our? {C} {R=contract|agreement|lease|loan|licence|license|nda|msa|document|file|contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} $ => list {C} {R} with their {A} and {B}
	^ give|show|list|tell me|us? {A} and {B} for|of every|each|all {C} $ => list {C} with their {A} and {B}
	^ for every|each {A} give|show|list me|us? {B} and {C} $ => list {A} with their {B} and {C}
	^ whose {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas} => counterparties whose {A}
	^ who|whom do|did we owe|pay the most {A=rent|spend|salary} => which counterparty has the highest total {A}
	^ who|whom do|did we owe|pay the most money? => which counterparty has the highest total spend
	^ from whom do|did|have we lease|rent|leased|rented => which landlords do we have
	^ from whom do|did|have we buy|bought|purchase|purchased|source|sourced => which suppliers do we have
	^ to whom do|did|have we lease|rent|leased|rented => which tenants do we have
	^ to whom do|did|have we sell|sold|supply|supplied => which customers do we have
	^ to|with|from whom do|did|have we grant|granted|give|given|have|agree|agreed|accept|accepted {A} => which counterparties have {A}
	^ who supplies|sells to? us => which suppliers do we have
	^ who buys|purchases from us => which customers do we have
	^ who rents|leases from us => which tenants do we have
	^ who rents|leases to us => which landlords do we have
	^ who lends to? us => which lenders do we have
	^ sorted|ordered|ranked by {A} , {B} $ => list {B} sorted by {A}
	^ for|in|with|under {A} only {B} $ => {B} for {A}
	^ at least one of {A} or|and {B} $ => contracts with {A} or {B}
	belonging|relating|pertaining|linked to the {A} matter => in the {A} matter
	brings|bring in the most => has the highest total
	where payment|payments is|are due in|within|after {A} => with payment terms of {A}
	multiple|several|numerous|various {A=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} => {A}
	are we about to sign => are in the signature stage
	^ do|does {A=our|the|all} {B} usually|typically|normally|generally|mostly last|run|take {C} $ => average term of {B}
	^ which {A} contributed|contribute|generated|generate|delivered|brought|bring in? {B} $ => {A} with total contract value {B}
	^ {A=value|spend|rent|principal|deposit|salary} in|of|for|under|across {B} $ => total {A} in {B}
	^ contract value in|of|for|under|across {B} $ => total contract value in {B}
	{R=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} with the {N=two|three|four|five|six|seven|eight|nine|ten|2|3|4|5|10|20} {S=highest|largest|biggest|longest|lowest|smallest|shortest} {B} => {N} {R} with the {S} {B}
	{R=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} that|which are|is the? {S=most|least} {T=valuable|expensive|costly} => {S} {T} {R}
	{R=contracts|agreements|leases|loans|licences|licenses|ndas|msas|documents|files} that|which are|is the? {S=largest|biggest|longest|smallest|shortest|cheapest|oldest|newest|latest} => {S} {R}
	^ can|could|may we|either terminate|cancel|end|exit|leave {A} for convenience => can {A} be terminated for convenience
	^ can|could|may we|either terminate|cancel|end|exit|leave {A} without cause|reason => can {A} be terminated without cause
	^ can|could|may we|either terminate|cancel|end|exit|leave {A} at any time => can {A} be terminated at any time
	^ which|what ones of our|the => which
	^ which of us|them uploaded|added the? most => who uploaded the most
	,? {A=value|rent|expiry|deposit|salary|date} desc|descending $ => sorted by {A} descending
	,? {A=value|rent|expiry|deposit|salary|date} asc|ascending $ => sorted by {A} ascending
	expiry {A=next|this|in|before|after|within} => expiring {A}
	^ how long is|are|does|do the|an|our average|typical|usual|normal {A} last|run|take|go? $ => what is the average term of {A}
	how much notice do|does|must|should|would {A} have|need|has to give on average => average notice period in {A} contracts
	how much notice do|does|must|should|would {A} have|need|has to give => notice period in {A} contracts
	^ how many matters do|does each|every|any person|colleague|owner|user|lawyer|one|member own|have|handle|run|manage => number of matters per owner
	^ what are|do|did we paying|pay|spending|spend|owe|owing with|to|on? {A} => how much do we pay {A}
	^ do|did|are we pay|paying|spend|spending|owe with|on|to? {A} more|less than with|on|to? {B} => compare total spend with {A} and {B}
	^ who has|gets|earns|receives|draws the {A=highest|lowest|biggest|largest|smallest|best} salary|wage|pay => which employee has the {A} salary
	>|over|above|more than? {A=1|2|3|4|5|6|7|8|9|10|12|15|20|two|three|four|five|six|seven|eight|nine|ten} {B=years|months} old => older than {A} {B}
	<|under|below|less than? {A=1|2|3|4|5|6|7|8|9|10|12|15|20|two|three|four|five|six|seven|eight|nine|ten} {B=years|months} old => not older than {A} {B}
	have|has|having|with|name|names {A} as the|a|an? {B=guarantor|licensee|licensor|supplier|vendor|customer|client|landlord|tenant|lender|borrower|distributor|reseller|provider|seller|buyer|purchaser|lessor|lessee|consultant|contractor|employer|processor|controller|counterparty|party} => where {A} is the {B}
	^ which matters have|has|do|does|are {A} been|be? filed|assigned|sorted|put|kept|stored|located|in under|to|in|into? $ => {A} by matter
	do|does {A} have {B=a|an|any} {C} with us => is there {B} {C} with {A}
	^ which {A=year|quarter|month|week} had|has|saw|brought|shows|showed the {B=highest|lowest} {C} in|during {D} => total {C} per {A} in {D} , {B} first
	^ which {A=year|quarter|month|week} had|has|saw|brought|shows|showed the {B=highest|lowest} {C} $ => total {C} per {A} , {B} first
	between {A} and|to {B} {C=years|months|days} long|in? length|duration? => with a term between {A} and {B} {C}
	{A=over|more|less|under|longer|shorter|at} {B} {C=years|months} long => with a term {A} {B} {C}
	with|on|of {A} {B=days|day|months|month|weeks} notice => with a notice period of {A} {B}
	{A=active|draft|signed|terminated|archived|expired} versus|vs|and|against {B=active|draft|signed|terminated|archived|expired} {C=contracts|agreements|leases|ndas|msas} => {C} by stage
	time|days to|until pay|payment => payment term
	number|top one|1 {A=supplier|suppliers|vendor|customer|counterparty|landlord} => top 1 {A}
	number-one => top 1
	by contract|file|agreement|document count|number|numbers|volume => by number of contracts
	^ has|have|is|are|did|does {A} gone|grown|risen|increased|decreased|fallen|dropped|shrunk|declined|going|growing|rising|increasing|decreasing|falling|shrinking|go|grow|rise|increase|decrease|fall|drop up|down? since {B} $ => how has {A} developed since {B}
	^ has|have|is|are|did|does {A} gone|grown|risen|increased|decreased|fallen|dropped|shrunk|declined|going|growing|rising|increasing|decreasing|falling|shrinking|go|grow|rise|increase|decrease|fall|drop up|down? {B} $ => how has {A} developed {B}
	^ {S=largest|biggest|highest|smallest|longest|shortest|cheapest} {A} first $ => {S} {A}
	^ {A=spend|value|rent|salary|deposit} {C=over|above|below|under|>|<} {B} by|per {D} $ => {D} with total {A} {C} {B}
	^ the? top|first {A} by {B} $ => top {A} contracts by {B}
	^ the? {S=largest|biggest|smallest|longest|shortest} {A} by {B} $ => {S} {A} contracts by {B}
	how many {A} have|has|did {B} and {C} each upload|uploaded|added => {A} uploaded by {B} or {C} per uploader
	^ which {A} is|are the {S=cheapest|largest|biggest|smallest|longest|shortest|costliest} {B} $ => {S} {A} {B}
	^ which {A} is|are the {S=most|least} {T=expensive|valuable|costly} {B} $ => {S} {T} {A} {B}
	^ are|is we bound|tied|committed|subject by|to any|a|an? {A} beyond|past|after {B} $ => contracts with {A} that run beyond {B}
	^ are|is we bound|tied|committed|subject by|to any|a|an? {A} $ => contracts with {A}
	would|will|could|may survive|endure|outlast|continue|last|remain|run past|beyond|after => run beyond
	survive|survives|endure|endures|outlast|outlasts|outlive past|beyond|after? => run beyond
	how much business|trade do|did we do|have|did with => total contract value with
	how frequently|often|commonly do|did we|they accept|agree|sign|grant|give|have|use|see to? {A} $ => what percentage of contracts have {A}
	how frequent|common|widespread|usual|rare are|is {A} in|among|across {B} $ => what percentage of {B} have {A}
	how frequent|common|widespread|usual|rare are|is {A} $ => what percentage of contracts have {A}
	is|are|was|were based|located|seated|registered|incorporated|domiciled|headquartered outside of? => are not based in
	based|located|seated|registered|incorporated|domiciled|headquartered outside of? => not based in
	and a|an {A} {B=counterparty|supplier|vendor|customer|client|landlord|party|tenant|lender} => and with a {A} {B}
	the? file|document|contract names|titles containing|including|with|that contain|have? => files named
	have|has|having|with {A} in their|its|the file|document|contract? title|name|filename|names|titles => with {A} in the name
	^ {A} page-wise|length-wise $ => {A} in pages
	the|our? longest|biggest|largest contract|document|agreement|file , in pages => file with the most pages
	^ which is the|our? {S=longest|shortest|largest|biggest|smallest|newest|oldest|latest} {A} $ => {S} {A}
	show|tell|give|list|get me|us? what we {A=signed|uploaded|agreed|concluded} => list contracts we {A}
	^ what do|did|are|will we pay|spend|owe|paying|spending in|for|on => how much do we pay in
	^ who earns|makes|gets|earn|make => which employees earn
	, and what are|is the|their|its? => and their
	, and how much|long|high are|is the|their|its => and their
	^ which|what {A} are|is missing|lacking|without {B} most often|frequently|commonly => contracts without {B} by {A}
	^ as a|an|the? {A} , => contracts where we are the {A} ,
	^ do|does|did {A} and {B} share|have any|an|a|common? {C=contract|contracts|agreement|agreements|nda|ndas|lease|leases} $ => {C} between {A} and {B}
	^ {A} under|in|for|with|at {B} versus|vs|against {C} $ => compare {A} in {B} and {C}
	text|wording|language|content|contents of the|all|our? {A} clauses|clause => list {A} clauses
	^ quote|cite|read the|all|our? {A} clauses => list {A} clauses
	^ which contracts|agreements|files|documents have|has|contain|contains the most clauses|sentences => clauses per contract
	in any|all|one? of? their|its contracts|agreements|leases|paper|paperwork|contract|agreement =>
	under any|all? of? their|its contracts|agreements|leases|contract|agreement =>
	do|did we see|find|meet|encounter|observe|come|run across|into? least often|frequently|commonly => are least common
	do|did we see|find|meet|encounter|observe|come|run across|into? most often|frequently|commonly? => are most common
	^ do|are {A=our|the|all|most} {B} usually|typically|normally|generally|mostly|often|always|regularly|routinely => what percentage of {A} {B}
	the? split|ratio|balance|comparison|relation between|of {A=active|draft|expired|terminated|archived|signed|open|closed} and|vs|versus|to {B=active|draft|expired|terminated|archived|unsigned|open|closed} {C=contracts|agreements|leases|ndas|msas|files|documents|matters} => {C} by stage
	how much money|cash|capital is|do|did|have we? have|has? tied|locked|bound|parked|invested up? in {A} => total {A}
	{A} clause|clauses|provision|provisions missing|absent|lacking in|from {B} $ => {B} without {A} clause
	give|gives|grant|grants|allow|allows us? {A} days to pay => have payment terms of {A} days
	about to renew|auto-renew|renewing automatically? => up for renewal soon
	about to {A=renew|auto-renew|expire|end|lapse} => that {A} soon
	how much did|do|have we contract|contracted|commit|committed|sign|signed for|up? for? => total spend
	{A} and|with the? number|count of {B=contracts|agreements|leases|ndas|msas|files|documents} we have|hold|signed with|for|from each|them => number of {B} per {A}
	^ are|is {A} longer|shorter|higher|lower|larger|smaller|bigger|greater|worse|better in|for|at|with|under {B} than in|for|at|with|under {C} => compare average {A} in {B} and {C}
	^ which|what {A} have|has|hold|see|contain|include|show|are any? {B=contracts|agreements|leases|ndas|msas|files|documents} => {B} by {A}
	^ what|which clauses do|does {A} contain|have|include|consist|hold $ => which clauses appear in {A}
	^ who owns|runs|manages|leads|handles|oversees the|our? matter {A} $ => matter owner of contracts in the {A} matter
	^ who owns|runs|manages|leads|handles|oversees the|our? {A} matter $ => matter owner of contracts in the {A} matter
	^ who owns|runs|manages|leads|handles|oversees {A} $ => matter owner of contracts in the {A} matter
	^ who is responsible|accountable for the|our? matter {A} $ => matter owner of contracts in the {A} matter
	^ who is responsible|accountable for the|our? {A} matter $ => matter owner of contracts in the {A} matter
	^ who is responsible|accountable for {A} $ => matter owner of contracts in the {A} matter
	^ who is in charge of the|our? matter {A} $ => matter owner of contracts in the {A} matter
	^ who is in charge of the|our? {A} matter $ => matter owner of contracts in the {A} matter
	^ who is in charge of {A} $ => matter owner of contracts in the {A} matter
	compared|relative with|to|against {A=average|total|median|the} {B=average|total|median|number|count} => and {A} {B}
	compared|relative with|to|against {A=average|total|median} => and {A}
	^ i|we want|plan|intend|need|hope|have|wish|are|would|going to|like|going to? renegotiate|cancel|terminate|review|revisit|check|audit|extend|renew|consolidate|discuss => list
	^ which|what matters have|contain|hold|include|comprise|own {A=files|documents|contracts|agreements} => {A} by matter
	are|is|exist|exists $ =>
	are|is still? kept|stored|held|retained|around $ =>
	do we have|hold|keep|own|store|still? still? $ =>
	give|gives|grant|grants|confer|confers|allow|allows third parties|party|parties' any? rights|right|benefits => have third party rights
	when is|are|does|do|will the? next {A=contract|agreement|lease|licence|license|loan|nda|msa|amendment} {B} up|due|ready|coming|come up? for renewal => the next {A} to expire {B} that renews
	how many|much of them|those|these are => how many are
	which|what laws|jurisdictions|law|jurisdiction do|does {A} sit|fall|come|stand|operate under,? => {A} by governing law
	which|what languages|language are|is {A} written|drafted|made|prepared|worded|in in? => {A} by language
	in which|what languages|language are|is {A} written|drafted|made|prepared|worded => {A} by language
	, and|with? how often|many each $ =>
	,? and how often $ =>
	rank|order|sort {A} by how many {B} we have|hold|signed with|for|from them|each|it => {A} by number of {B}
	by how many {B} we have|hold with|for|from them|each|it => by number of {B}
	by how much|many we spend|pay with|on|to? them|each|it => by total spend
	how is|are|was|were {A} distributed|spread|split|divided|allocated across|over|between|among|by {B} => {A} by {B}
	what does|do {A} look like => {A}
	what is|are|was|were {A} like => {A}
	how does|do|did {A} compare|differ|vary|look across|between|over|among|by {B} => {A} by {B}
	moved|progressed|shifted|risen|fallen|increased|decreased|declined|gone|fared|performed|fluctuated|varied|looked|come => developed
	how does|do|did {A} rise|fall|increase|decrease|decline|move|progress|shift|fluctuate|look => how has {A} developed
	gets|get|receives|receive|takes|take|captures|absorbs|earns|attracts|sees|see the|our largest|biggest|highest|greatest|most|lion's share|part|portion|slice|chunk of our|the? spend|spending|money => has the highest total spend
	account|accounts|accounting|stand|stands for most|the of our|the? bulk? of? our|the? => account for the most
	make|makes up|out most|the bulk? of our|the => account for the most
	who gets|takes|receives most|the of? our|the? most? money|spend => which counterparty has the highest total spend
	where does|do|is|are most of our|the spend|spending|money go|goes|going|spent => counterparties by total spend
	looking|focusing|focussing|concentrating|zooming at|on|in {A} , => of {A} ,
	taking|considering|counting|within|among|amongst only|just? {A} , => of {A} ,
	when it comes to {A} , => of {A} ,
	as for {A} , => of {A} ,
	with regard|respect to {A} , => of {A} ,
	when is|are|does|do|will the? next {A} up|due|ready|coming|come up? for renewal => next renewal of {A}
	{A} divided|broken|sliced|cut|diced|grouped|arranged|organised|organized|sorted|bucketed|categorised|classified|clustered|itemised|summarised|segmented into|up|out|down|according to|by|per {B} $ => {A} by {B}
	on a per|by {A} basis => by {A}
	on a {A} -by- basis => by {A}
	{A} wise $ => by {A}
	the? number|count|total of {A} there are|is => number of {A}
	what number|quantity|amount of {A} are|is|do => how many {A}
	how numerous are => how many
	do|does there exist => are there
	is it true|correct|right that => 
	is there|are anything|something|any that|which => are there contracts that
	anything|everything|whatever with|from|by => contracts with
	anything|everything|whatever that|which => contracts that
	the|those|all ones => contracts
	whose turn|job is it to sign => with
	which|what {A} came|come|went|go into|in|through to? force|effect => which {A} started
	what did|do|have|has we sign|signed|conclude|concluded|agree|execute => list contracts signed
	what is|are|was due|up|set|scheduled|coming up? to|for end|expire|lapse|expiry|termination => what expires
	big-ticket|high-value|large => largest
	count|tally|number|total up|off|together? of? how|the many|number? of? => how many
	tally|tot|reckon up|together? => number of
	a|the headcount|tally|tot of => number of
	put together|up a|the list of => list
	run|do|make|pull|get|give|produce me|us? a|the query|report|search|list|listing|extract|export|printout|readout on|for|of|with|about => list
	chart|plot|graph|draw|visualise|visualize|map|diagram => show
	i'd|id|i|we would|should|might? love|like|want|wish|need|care to have|know|see|get|look|understand|view at? => show
	talk|walk|take|run me|us through => list
	help me|us understand|find|see|identify|list|get => show
	we're|were|we are|am looking|searching|hunting|after for? => show
	let|have us|me a? see|know|have|look at? => show
`

// spans are times.
const spans = `
	after|beyond|past today|now => in the future
	later than today|now => in the future
	this|current|the current? fiscal|financial|business|accounting year => this calendar year
	last|past|previous|prior fiscal|financial|business|accounting year => last calendar year
	next|coming|following fiscal|financial|business|accounting year => next calendar year
	fiscal|financial|business|accounting year => year
	in|over|during|throughout|within the course of => in
	throughout the? => in
	before|until|by the year|month|quarter is|was|comes out|over|up|through|ends? to? an? end? => this year
	between now and => until
	from now|today until|till|to|through => until
	from now|today on|onwards|forward => from today
	within|inside the? a? year => in the next 12 months
	in|within a|one year's|year time => in the next 12 months
	in the near|foreseeable|immediate future => soon
	in the short|near term|run => soon
	shortly|imminently|presently|momentarily => soon
	any|some day|time now|soon => soon
	the day|week|month|quarter|year before last => 2 years ago
	coming|following|upcoming|ensuing => next
	preceding|prior|bygone|foregoing => last
	up|down to and including => until
	post|after {A} onwards|on => since {A}
`

// conditions are what is said of rows.
const conditions = `
	have|has both? {A} and {B} as parties|counterparties => with {A} and {B}
	is|are|was|were assigned|booked|allocated|charged|coded to cost centre|center => with cost centre
	without being|having signed => without a signing date
	without having been signed => without a signing date
	pay|pays|paying us in => in
	but|and no {A=active|draft|signed|terminated|archived|expired} status|stage => but not {A}
	have|has|having|with {A} as|for the? signatory|signer => signed by {A}
	no|without|missing a|any? role for|of the counterparty => without a counterparty role
	restrict|restricts|prohibit|prohibits|forbid|forbids|ban|bans|bar|bars any? transfer|transfers => are non-transferable
	without ocr => not scanned
	as opposed to => but not with
	on|by its|their|it's own|itself|themselves|themself => automatically
	haven't|havn't => have not
	hasn't => has not
	aren't => are not
	isn't => is not
	weren't => were not
	wasn't => was not
	don't => do not
	doesn't => does not
	didn't => did not
	couldn't|can't|cannot => cannot
	could|might => can
	gone|went|going past|beyond|over => past
	was|were|is|are|been|be recognised|recognized|found|detected|extracted|captured|determined|established|read|identified|spotted => was known
	cannot be transferred|sublicensed => are non-transferable
	await|awaits => awaiting
	being negotiated|discussed => in negotiation
	under|in discussion|negotiations => in negotiation
	being reviewed|checked => in review
	under review => in review
	being drafted|written|prepared => in draft
	being approved => in approval
	awaiting|awaits|await|needs|need|pending sign-off|signoff|approval => in approval
	being signed => in signature
	out for signing|signature => in signature
	facts|values|data still? to be confirmed|checked|verified|reviewed|validated => facts to review
	with low|poor|weak confidence values|facts|data|scores? => with facts to review
	did|has|have the system|software|tool|service|machine|model label|labelled|labeled|flag|flagged|classify|classified|mark|marked as => are labelled
	tie|ties|bind|binds|commit|commits|oblige|obliges|hold|holds|subject|subjects us|ourselves to|by => have
	is|are|was|were paid|payable|settled|due in|within {A} days => have payment terms of at most {A} days
	paid|payable|settled|pays|pay in|within {A} days => with payment terms of at most {A} days
	sit|sits|stand|stands|fall|falls|lie|lies|reside|resides|rest|rests {A=in|at|under|within|into} => {A}
	with a|an|the? future|later|coming {A=effective|start|commencement|expiry|end|signing} date => with an {A} date in the future
	come|comes|coming|fall|falls|falling due => mature
	involve|involves|include|includes|name|names {A} as well|too $ => with {A}
	with|of|having an? unknown|missing|undefined|unspecified|unnamed|unidentified|blank|empty => without
	still? need|needs|have|has|must|are|is yet? to? be classified|categorised|categorized|typed => without a document type
	still? need|needs|have|has|must|are yet? to? be assigned|linked|attached|added to a matter => without a matter
	still? need|needs|have|has|must|are yet? to? be reviewed|checked|verified|validated => have facts to review
	bind|binds|tie|ties|commit|commits|oblige|obliges us? beyond|past => run beyond
	bind|binds|tie|ties|commit|commits|oblige|obliges us? until|till => run until
	that|which? have|has|did|do we {A=granted|given|issued|awarded|obtained|acquired|received|negotiated|got|given|collected|taken|made} $ =>
	restrict|restricts|prevent|prevents|stop|stops|bar|bars|prohibit|prohibits|keep|keeps|forbid|forbids us|the|our company|business|group|firm|team? from competing|competition => have a non-compete
	volume|purchase|purchasing|minimum|buying|spending|spend commitments|obligations => minimum commitments
	volume|purchase|purchasing|minimum|buying|spending|spend commitment|obligation => minimum commitment
	need|needs|needing|require|requires|requiring|demand|demands|demanding {A=a|an|more|less|at|over|under|between|up|longer|any} => have {A}
	call|calls|calling|ask|asks|asking for {A=a|an|more|less|at|over|under|between|up|longer|any} => have {A}
	can|may be assigned|transferred without the? other|counter? side's|party's|parties'|parties|counterparty's|anyone's|any? consent|approval|permission => without an anti-assignment clause
	freely|easily assignable|transferable => without an anti-assignment clause
	haven't|hasn't|don't|doesn't got|have|possess|carry|hold|show|feature|contain|include|state|name|list|mention a|an|any => without
	haven't|hasn't got a|an|any? => without
	neither signed nor => without a signing date and not
	is|are|was|were signed|executed by|from nobody|no-one|noone|neither => without signatory
	lack|lacks|lacking|miss|misses|wants|want for? => without
	have|has|had nothing to say about|on => do not mention
	say|says nothing|zilch about|on|regarding|concerning => do not mention
	are|is|stay|remain|keep silent|mute|quiet about|on|regarding => do not mention
	make|makes no mention|reference of|to => do not mention
	talk|speak|write|talks|speaks about|of => mention
	make|makes mention|reference of|to => mention
	touch|touches|touching on|upon => mention
	containing|include|including|with the words|word|phrase|term|expression|string => mentioning
	facts|values|data|fields|findings|details to|for check|verify|confirm|validate|review|checking|verification => facts to review
	of {A=high|low|medium} risk => with {A} risk
	running|going|continuing|lasting|extending past|beyond => expiring after
	run|runs|go|goes|continue|continues|last|lasts|extend|extends past|beyond => expire after
	long|past overdue|expired => expired
	no longer running|valid|live|alive|good|current|ongoing|binding|applicable => expired
	dead => expired
	live|alive|ongoing|running|continuing|current|valid => active
	up and running => active
	in operation|play|flight|use|being|motion|progress => active
	about|soon|ready to|for expire|end|lapse|expiry|termination => expiring soon
	nearing|approaching|close|near to|their|its|the? their|its|the? end|expiry|expiration|maturity => expiring soon
	become|becomes|becoming due for|to renewal|renew => up for renewal
	come|comes|coming|fall|falls|falling due|up for|to renewal|renew|renewing => up for renewal
	get|gets|getting renewed|extended|prolonged => renew
	can|could|may|might be|get extended|prolonged|renewed => renew
	keep|keeps going|running|renewing until|unless stopped|cancelled|terminated => renew automatically
	priced|invoiced|billed|payable|settled|quoted|set|stated|expressed in => denominated in
	pay|paying|pays|invoice|invoiced|bill|billed in {A=dollars|euros|pounds|usd|eur|gbp|chf|yen} => in {A}
	above|over|beyond|past the {A} mark|line|threshold|limit => above {A}
	north of => above
	south of => below
	at or above|over => at least
	at or below|under => at most
	topping|surpassing|outstripping|passing|crossing|breaching => above
	surpass|surpasses|cross|crosses => exceed
	greater|bigger|larger|higher or equal to|than => at least
	in|of excess of => above
	between us|ourselves and => with
	with|to|from|by|of the likes|folks|people|guys|team of|at|from|over? at? => with
	entered|agreed|made|concluded|done|struck|closed into? with => signed with
	struck|inked => signed
	did|do|have|has we ink|strike|close|make|complete|agree => signed
	we|us inked|struck|closed|made|completed|agreed => signed
	bundle|comprise|comprises => contain
	in|to|of favour|favor|benefit|advantage of => with
	against|versus => with
	on|from|at our side|end|part => we
`

// bearings are verbs by which rows have figures and clauses, in each of their forms.
func bearings() (list []rewording) {
	for _, words := range []string{"carry", "bear", "enjoy", "impose", "show", "exhibit", "incorporate", "comprise", "entail", "stipulate", "foresee", "envisage", "offer", "afford", "confer", "establish", "guarantee", "possess", "present", "benefit from", "profit from", "come with", "provide for", "rely on", "set out", "set", "lay down", "build in", "contain", "include", "receive", "give", "grant", "put in place", "embed", "attract", "command", "levy", "charge", "apply", "specify", "prescribe", "mandate", "feature"} {
		v, have := verbOf(words), verbOf("have")
		for _, form := range [][2]string{{v.base + " us?", have.base}, {v.third + " us?", have.third}, {v.ing + " us?", have.ing}} {
			list = append(list, wordings(form[0]+" => "+form[1])...)
		}
	}
	return list
}
