"""Words of other languages than English that say nothing about what a question is looking for.

Only questions are read with them, the index holds every word. A word of one language is a name of
something in another ("die", "war", "car", "son"), so those of the Latin script count only in a
question that is written in their language; those of other scripts always do. All are folded as the
analysis folds them.
"""

import re

from smriti_es.projections.lexical.scripts import UNSPACED_MARKS

# Function words and the ways to ask, and how people address a memory.
_LATIN = {
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es
        wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine meinen meinem meiner meines dein
        deine deinen sein seine seinen ihre ihren unser unsere und oder aber denn weil dass ob wenn
        als wie was wer wen wem wo wohin woher wann warum weshalb wieso welche welcher welches
        welchen ist sind war waren bin bist hat haben habe hast hatte hatten wird werden wurde
        wurden kann konnen konnte soll sollen muss mussen mochte will in im an am auf aus bei beim
        mit nach von vom vor zu zum zur uber unter fur durch gegen ohne um bis seit nicht auch nur
        noch schon sehr mal denn doch da dort hier so sich man gesagt sagte erzahlt weisst erinnere
        erinnerst habe bitte""",
    "es": """
        el la los las un una unos unas lo yo tu el ella nosotros ellos ellas me te se le les nos mi
        mis su sus nuestro nuestra y e o u pero porque que como cuando donde adonde quien quienes
        cual cuales cuanto cuanta cuantos cuantas de del a al en con por para sin sobre entre hasta
        desde es son era eran fue fueron ser estar esta estan estaba esto este ese esa eso hay he ha
        han habia tengo tiene tienen tenia hace no si ya muy mas tambien dijo dije dijiste sabes
        recuerdas""",
    "fr": """
        le la les un une des du de d l je j tu il elle on nous vous ils elles me m te t se s ce c
        cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs et ou mais
        donc car que qu qui quoi quand ou comment pourquoi combien quel quelle quels quelles est
        sont etait etaient suis es sommes etes ete etre ai as a avons avez ont avait avoir fait dans
        en au aux avec pour par sur sous sans chez entre jusqu depuis ne n pas plus y est-ce dit
        disais aujourd rappelle""",
    "it": """
        il lo la i gli le un uno una di a da in con su per tra fra del dello della dei degli delle
        al allo alla ai agli alle dal dalla nel nella nei nelle sul sulla io tu lui lei noi voi loro
        mi ti si ci vi mio mia miei mie tuo tua suo sua suoi sue nostro nostra e ed o ma perche che
        chi cosa come quando dove quale quali quanto quanta quanti quante e sono era erano sei siamo
        stato stata ho hai ha abbiamo hanno aveva non piu anche gia detto ricordi""",
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas ao aos com por para pelo pela
        sem sobre entre ate desde eu tu ele ela nos voce voces eles elas me te se lhe meu minha meus
        minhas teu tua seu sua seus suas nosso nossa e ou mas porque que como quando onde quem qual
        quais quanto quanta quantos quantas e sao era eram foi foram ser estar esta estao estava
        tenho tem tinha ha nao sim ja muito mais tambem disse lembra""",
    "nl": """
        de het een ik jij je hij zij ze wij we jullie mij me jou hem haar ons hun mijn jouw zijn
        onze en of maar want omdat dat die dit deze als hoe wat wie waar waarom wanneer welke welk
        is was waren ben bent heb hebt heeft hebben had hadden wordt worden werd kan kunnen kon moet
        in op aan van voor met naar bij uit over door tot om te niet ook nog al er hier daar zich
        gezegd""",
    "pl": """
        i a oraz lub albo ale ze zeby co kto kogo komu gdzie kiedy dlaczego jak jaki jaka jakie
        ktory ktora ktore ile czy w we na do z ze od po za przez dla o u przy pod nad ja ty on ona
        ono my wy oni one mnie mi ciebie ci go jego jej ich moj moja moje moich twoj twoja sie jest
        sa byl byla bylo byly bede bedzie mam ma maja nie tak juz tez to ten ta te tego tej""",
    "tr": """
        ve veya ile ama icin gibi kadar ki da de mi mu bir bu su o ben sen biz siz onlar benim senin
        onun bizim bana sana ona beni seni ne nerede nereye nereden nasil neden nicin kim kimin kime
        hangi kac zaman var yok degil cok daha en olarak oldu olan idi""",
}

_OTHER_SCRIPTS = """
    и в во на не что кто где куда откуда когда как почему зачем какой какая какое какие какую каком
    сколько чей чья я ты он она оно мы вы они меня мне тебя тебе его ему ее ей нас нам вас вам их им
    мой моя мое мои моего моей моем моих твой твоя твое твои с со у к ко по за из от до для о об обо
    при без под над а но или если чтобы же ли бы это этот эта эти этом этого тот та те то там тут
    здесь был была было были есть быть будет так уже еще только очень
    και η αλλα να θα δεν μη τι ποια ποιο ποιοι που ποτε πωσ γιατι ποσο ποσα ποσοι ο το οι τα τον
    την του τησ των τουσ στο στη στην στον στα στισ με για απο σε ειναι ηταν εχω εχει εχουν μου
    σου μασ σασ ενα μια ενασ ποιοσ
    في من الي علي عن مع ما ماذا متي اين كيف لماذا هل كم هو هي هم انا انت نحن هذا هذه ذلك تلك الذي
    التي ان قد كان كانت لا لم لن او ثم كل
    של את על עם אל מן מה מי איפה היכן מתי איך למה מדוע כמה האם הוא היא הם הן אני אתה אנחנו זה זאת לא
    כן או גם כי אם היה היתה יש אין לי שלי שלך
    है हैं था थी थे हूं हो और या कि का की के को में से पर ने क्या कौन कब कहां कैसे क्यों कितना कितने कितनी
    किस मैं मेरा मेरी मेरे तुम आप हम वह यह वे ये नहीं भी ही तो एक
"""

# In scripts without spaces a question falls apart at these; what is between them is looked for.
_RUNS = """
    什么时候 什么 甚么 什麼時候 什麼 怎么样 怎么 怎麼 为什么 為什麼 哪里 哪裡 哪儿 哪个 哪個 哪天
    谁的 谁 誰 多少 几个 我们 你们 他们 我的 你的 他的 她的 是不是 有没有 告诉我 记得
    いつから いつまで いつ どこ なぜ どうして どうやって どんな だれ
    誰が 誰の 何を 何が 何の いくつ いくら 教えて 覚えて
    언제 어디에서 어디서 어디에 어디 무엇을 무엇이 무엇 누가 누구 어떻게 얼마나 나의 내가
    อะไร ที่ไหน เมื่อไหร่ เมื่อไร ใคร ทำไม อย่างไร ยังไง เท่าไหร่ เท่าไร
"""
# At the end of a question only: elsewhere they are in the middle of words.
_ENDINGS = """
    吗 呢 嗎 ですか でしたか でした です ますか ましたか ました ません ます でしょうか
    されますか されました していますか しています していた している ありますか あります
    입니까 인가요 입니다 습니까 습니다 했나요 했어요 하나요 나요 있나요 있습니까
    ครับ ค่ะ ไหม
"""
# A particle after a character that is no hiragana, and 的 and 了 save inside words of their own.
_PARTICLES = (
    "(?<=[\u3005\u4e00-\u9fff\u30a1-\u30fa\u30fc])[はがをにのともで]"
    "|(?<![目标標])的(?![士确確])|了(?!解)"
)


def _any_of(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


LATIN_STOP_WORDS = {language: frozenset(words.split()) for language, words in _LATIN.items()}
OTHER_STOP_WORDS = frozenset(_OTHER_SCRIPTS.split())
STOP_RUNS = re.compile(
    f"(?:{_any_of(_RUNS)}|{_PARTICLES}|(?:{_any_of(_ENDINGS)})$)(?![{UNSPACED_MARKS}])"
)
