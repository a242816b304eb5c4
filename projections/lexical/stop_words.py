"""Words that say nothing about what a question is looking for.

All are folded: lower case, no accents, no apostrophes ("don't" is `dont`). "May" is missing on
purpose: in a question to a memory it is a month more often than a permission.
"""

# Closed classes of English. They are never stemmed: "its" is no form of "it" as "cats" is of "cat".
# Of the contractions only those stand here that are no other word without the apostrophe: "I'd"
# must not make a stop word of "id" (the analysis takes its 'd off and finds "i").
_FUNCTION = """
a an the this that these those such each every either neither both all any some few most more less
several enough another other others same own
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
it its itself we us our ours ourselves they them their theirs themselves one oneself
who whom whose which what when where why how whoever whatever whichever whenever wherever however
am is are was were be been being do does did doing done have has had having
can could will would shall should might must ought cannot let lets
and or but nor so yet if then else than because since while although though unless until till as
not no
of in on at by for with without to from into onto out off up down over under about above below
between among through during before after against along across around behind beside besides beyond
near toward towards upon within via per
here there now again once ever never always often just only even too very quite rather also still
already almost perhaps maybe
im ive youre youve youd youll hes shes weve theyre theyve theyd theyll itll thats thatll
theres heres whats wheres whens whos whys hows
isnt arent wasnt werent aint dont doesnt didnt havent hasnt hadnt wont wouldnt cant couldnt
shant shouldnt mustnt mightnt neednt oughtnt
couldve wouldve shouldve mightve mustve gonna wanna gotta yall
"""

# Nouns, verbs and adverbs that are true of nearly everything.
_VAGUE = """
thing things something anything everything nothing stuff somebody someone anybody anyone everybody
everyone nobody somewhere anywhere everywhere nowhere somehow anyway
much many lot lots bit kind kinds sort sorts type types way ways
get gets getting got gotten go goes going make makes making made take takes taking took taken
use uses used using come comes coming came
really actually basically simply probably exactly especially well etc
"""

# How people address a memory, which is not what they ask it for.
_FILLER = """
remind reminds reminded reminding remember remembers remembered remembering recall recalls recalled
recalling forget forgot forgotten previous previously earlier
conversation conversations chat chats chatted chatting talk talks talked talking speak spoke spoken
discuss discusses discussed discussing discussion discussions mention mentions mentioned mentioning
say says said saying tell tells told telling ask asks asked asking know knows knew known
think thinks thought wonder wonders wondered wondering want wants wanted need needs needed
please thank thanks hi hey hello ok okay yes yeah yep sure like likes liked
"""

FUNCTION_WORDS: frozenset[str] = frozenset(_FUNCTION.split())
STOP_WORDS: frozenset[str] = FUNCTION_WORDS.union(_VAGUE.split(), _FILLER.split())
