"""The words of the calendar in languages other than English: data, and nothing else.

`PHRASES` has a line for each unit and how far it lies from the one of the day of speaking.
`COUNTED` has the ways to say "three weeks ago", `UNITS` and `NUMBERS` what may stand in them.
`MONTHS` has the months in order, all the forms of each. Words that a language also uses for
something else ("mañana", "morgen", "hier") are told apart in `elsewhere`; those of which it cannot
be told are missing ("कल" is yesterday and tomorrow, "اليوم" the day).
"""

PHRASES = {
    "German": """
        day -2: vorgestern
        day -1: gestern
        day 0: heute
        day 1: morgen
        day 2: übermorgen
        week -1: letzte woche, letzter woche, vorige woche, voriger woche, vergangene woche
        week 0: diese woche, dieser woche
        week 1: nächste woche, nächster woche, kommende woche, kommender woche
        weekend -1: letztes wochenende, letzten wochenende, vergangenes wochenende
        weekend 0: dieses wochenende, diesem wochenende
        weekend 1: nächstes wochenende, nächsten wochenende
        month -1: letzten monat, letzter monat, vorigen monat, vergangenen monat
        month 0: diesen monat, diesem monat
        month 1: nächsten monat, nächster monat, kommenden monat
        year -1: letztes jahr, letzten jahr, voriges jahr, vorigen jahr, vergangenes jahr
        year 0: dieses jahr, diesem jahr
        year 1: nächstes jahr, nächsten jahr, kommendes jahr""",
    "Dutch": """
        day -2: eergisteren
        day -1: gisteren, gisteravond
        day 0: vandaag, vanavond, vanmorgen
        day 1: morgenochtend, morgenavond
        day 2: overmorgen
        week -1: vorige week, afgelopen week
        week 0: deze week
        week 1: volgende week
        month -1: vorige maand, afgelopen maand
        month 0: deze maand
        month 1: volgende maand
        year -1: vorig jaar, afgelopen jaar
        year 0: dit jaar
        year 1: volgend jaar""",
    "French": """
        day -2: avant-hier
        day -1: hier
        day 0: aujourd'hui, ce matin, ce soir
        day 1: demain
        day 2: après-demain
        week -1: la semaine dernière, la semaine passée
        week 0: cette semaine
        week 1: la semaine prochaine
        weekend -1: le week-end dernier
        weekend 0: ce week-end
        weekend 1: le week-end prochain
        month -1: le mois dernier, le mois passé
        month 0: ce mois-ci
        month 1: le mois prochain
        year -1: l'année dernière, l'an dernier, l'année passée
        year 0: cette année
        year 1: l'année prochaine, l'an prochain""",
    "Spanish": """
        day -2: anteayer, antes de ayer
        day -1: ayer, anoche
        day 0: hoy, esta mañana, esta noche, esta tarde
        day 1: mañana
        day 2: pasado mañana
        week -1: la semana pasada
        week 0: esta semana
        week 1: la próxima semana, la semana que viene
        weekend -1: el fin de semana pasado
        weekend 0: este fin de semana
        month -1: el mes pasado
        month 0: este mes
        month 1: el próximo mes, el mes que viene
        year -1: el año pasado
        year 0: este año
        year 1: el próximo año, el año que viene""",
    "Portuguese": """
        day -2: anteontem
        day -1: ontem
        day 0: hoje
        day 1: amanhã
        day 2: depois de amanhã
        week -1: na semana passada, a semana passada
        week 0: nesta semana
        week 1: na próxima semana, na semana que vem
        month -1: no mês passado, o mês passado
        month 0: neste mês, este mês
        month 1: no próximo mês, no mês que vem
        year -1: no ano passado, o ano passado
        year 0: neste ano, este ano
        year 1: no próximo ano, no ano que vem""",
    "Italian": """
        day -2: l'altro ieri
        day -1: ieri, ieri sera
        day 0: oggi, stamattina, stasera
        day 1: domani
        day 2: dopodomani
        week -1: la settimana scorsa, la scorsa settimana
        week 0: questa settimana
        week 1: la settimana prossima, la prossima settimana
        month -1: il mese scorso, lo scorso mese
        month 0: questo mese
        month 1: il mese prossimo, il prossimo mese
        year -1: l'anno scorso, lo scorso anno
        year 0: quest'anno
        year 1: l'anno prossimo, il prossimo anno""",
    "Polish": """
        day -2: przedwczoraj
        day -1: wczoraj
        day 0: dzisiaj, dziś
        day 1: jutro
        day 2: pojutrze
        week -1: w zeszłym tygodniu, w ubiegłym tygodniu
        week 0: w tym tygodniu
        week 1: w przyszłym tygodniu
        month -1: w zeszłym miesiącu, w ubiegłym miesiącu
        month 0: w tym miesiącu
        month 1: w przyszłym miesiącu
        year -1: w zeszłym roku, w ubiegłym roku
        year 0: w tym roku
        year 1: w przyszłym roku""",
    "Turkish": """
        day -2: evvelsi gün
        day -1: dün
        day 0: bugün
        day 1: yarın
        week -1: geçen hafta
        week 0: bu hafta
        week 1: gelecek hafta
        month -1: geçen ay
        month 0: bu ay
        month 1: gelecek ay
        year -1: geçen yıl, geçen sene
        year 0: bu yıl, bu sene
        year 1: gelecek yıl, gelecek sene""",
    "Russian": """
        day -2: позавчера
        day -1: вчера
        day 0: сегодня
        day 1: завтра
        day 2: послезавтра
        week -1: на прошлой неделе
        week 0: на этой неделе
        week 1: на следующей неделе
        weekend -1: на прошлых выходных, в прошлые выходные
        month -1: в прошлом месяце
        month 0: в этом месяце
        month 1: в следующем месяце
        year -1: в прошлом году
        year 0: в этом году
        year 1: в следующем году""",
    "Arabic": """
        day -2: أول أمس, اول امس
        day -1: أمس, امس
        day 1: غدا, غدًا
        week -1: الأسبوع الماضي, الاسبوع الماضي
        week 0: هذا الأسبوع, هذا الاسبوع
        week 1: الأسبوع القادم, الأسبوع المقبل, الاسبوع القادم
        month -1: الشهر الماضي
        month 0: هذا الشهر
        month 1: الشهر القادم, الشهر المقبل
        year -1: العام الماضي, السنة الماضية
        year 0: هذا العام, هذه السنة
        year 1: العام القادم, العام المقبل, السنة القادمة""",
    "Hindi": """
        day 0: आज
        week -1: पिछले हफ्ते, पिछले हफ़्ते, पिछले सप्ताह
        week 0: इस हफ्ते, इस हफ़्ते, इस सप्ताह
        week 1: अगले हफ्ते, अगले हफ़्ते, अगले सप्ताह
        month -1: पिछले महीने
        month 0: इस महीने
        month 1: अगले महीने
        year -1: पिछले साल
        year 0: इस साल
        year 1: अगले साल""",
    "Chinese": """
        day -2: 前天
        day -1: 昨天, 昨晚
        day 0: 今天, 今晚, 今早
        day 1: 明天, 明早
        day 2: 后天, 後天
        week -1: 上周, 上週, 上个星期, 上個星期, 上星期, 上礼拜
        week 0: 这周, 這週, 本周, 这个星期, 這個星期, 这星期
        week 1: 下周, 下週, 下个星期, 下個星期, 下星期, 下礼拜
        weekend -1: 上周末, 上週末, 上个周末
        weekend 0: 这周末, 這週末, 这个周末
        weekend 1: 下周末, 下週末, 下个周末
        month -1: 上个月, 上個月
        month 0: 这个月, 這個月, 本月
        month 1: 下个月, 下個月
        year -2: 前年
        year -1: 去年
        year 0: 今年
        year 1: 明年""",
    "Japanese": """
        day -2: 一昨日, おととい
        day -1: 昨日, 昨夜, きのう
        day 0: 今日, 今朝, 今夜
        day 1: 明日
        day 2: 明後日
        week -1: 先週
        week 0: 今週
        week 1: 来週
        weekend -1: 先週末
        weekend 0: 今週末
        weekend 1: 来週末
        month -1: 先月
        month 0: 今月
        month 1: 来月
        year -1: 昨年
        year 1: 来年""",
    "Korean": """
        day -2: 그저께
        day -1: 어제, 어젯밤
        day 0: 오늘, 오늘밤
        day 1: 내일
        day 2: 모레
        week -1: 지난주, 지난 주
        week 0: 이번 주, 이번주
        week 1: 다음 주, 다음주
        weekend -1: 지난 주말, 지난주말
        weekend 0: 이번 주말
        weekend 1: 다음 주말
        month -1: 지난달, 지난 달
        month 0: 이번 달, 이번달
        month 1: 다음 달, 다음달
        year -1: 작년, 지난해
        year 0: 올해
        year 1: 내년""",
    "Thai": """
        day -2: เมื่อวานซืน
        day -1: เมื่อวานนี้, เมื่อวาน, เมื่อคืน
        day 0: วันนี้, คืนนี้
        day 1: พรุ่งนี้
        day 2: มะรืนนี้
        week -1: สัปดาห์ที่แล้ว, อาทิตย์ที่แล้ว
        week 0: สัปดาห์นี้, อาทิตย์นี้
        week 1: สัปดาห์หน้า, อาทิตย์หน้า
        month -1: เดือนที่แล้ว
        month 0: เดือนนี้
        month 1: เดือนหน้า
        year -1: ปีที่แล้ว
        year 0: ปีนี้
        year 1: ปีหน้า""",
}

COUNTED = {
    "German": "vor {n} {unit}",
    "Dutch": "{n} {unit} geleden",
    "French": "il y a {n} {unit}",
    "Spanish": "hace {n} {unit}",
    "Portuguese": "há {n} {unit}",
    "Italian": "{n} {unit} fa",
    "Polish": "{n} {unit} temu",
    "Turkish": "{n} {unit} önce",
    "Russian": "{n} {unit} назад",
    "Arabic": "قبل {n} {unit}",
    "Hindi": "{n} {unit} पहले",
    "Chinese": "{n}{unit}前",
    "Japanese": "{n}{unit}前",
    "Korean": "{n}{unit} 전",
    "Thai": "{n} {unit}ที่แล้ว",
}

UNITS = {
    "German": "tag tagen: day; woche wochen: week; monat monaten: month; jahr jahren: year",
    "Dutch": "dag dagen: day; week weken: week; maand maanden: month; jaar: year",
    "French": "jour jours: day; semaine semaines: week; mois: month; an ans année années: year",
    "Spanish": "día días: day; semana semanas: week; mes meses: month; año años: year",
    "Portuguese": "dia dias: day; semana semanas: week; mês meses: month; ano anos: year",
    "Italian": "giorno giorni: day; settimana settimane: week; mese mesi: month; anno anni: year",
    "Polish": "dzień dni: day; tydzień tygodnie tygodni: week; miesiąc miesiące miesięcy: month;"
    " rok lata lat: year",
    "Turkish": "gün: day; hafta: week; ay: month; yıl sene: year",
    "Russian": "день дня дней: day; неделю недели недель: week; месяц месяца месяцев: month;"
    " год года лет: year",
    "Arabic": "أيام يوما: day; أسابيع: week; أشهر شهور: month; سنوات: year",
    "Hindi": "दिन: day; हफ्ते हफ़्ते सप्ताह: week; महीने: month; साल: year",
    "Chinese": "天 日: day; 周 週 个星期 個星期: week; 个月 個月: month; 年: year",
    "Japanese": "日: day; 週間: week; か月 ヶ月 ヵ月 カ月: month; 年: year",
    "Korean": "일: day; 주 주일: week; 개월 달: month; 년: year",
    "Thai": "วัน: day; สัปดาห์ อาทิตย์: week; เดือน: month; ปี: year",
}

NUMBERS = {
    "German": "einem einer; zwei; drei; vier; fünf; sechs; sieben; acht; neun; zehn",
    "Dutch": "een één; twee; drie; vier; vijf; zes; zeven; acht; negen; tien",
    "French": "un une; deux; trois; quatre; cinq; six; sept; huit; neuf; dix",
    "Spanish": "un una; dos; tres; cuatro; cinco; seis; siete; ocho; nueve; diez",
    "Portuguese": "um uma; dois duas; três; quatro; cinco; seis; sete; oito; nove; dez",
    "Italian": "un una; due; tre; quattro; cinque; sei; sette; otto; nove; dieci",
    "Polish": "jeden; dwa dwie; trzy; cztery; pięć; sześć; siedem; osiem; dziewięć; dziesięć",
    "Turkish": "bir; iki; üç; dört; beş; altı; yedi; sekiz; dokuz; on",
    "Russian": "один одну; два две; три; четыре; пять; шесть; семь; восемь; девять; десять",
    "Chinese": "一; 两 二 兩; 三; 四; 五; 六; 七; 八; 九; 十",
    "Japanese": "一; 二; 三; 四; 五; 六; 七; 八; 九; 十",
}

# In order; forms of one month side by side.
MONTHS = {
    "German": "januar; februar; märz; april; mai; juni; juli; august; september; oktober; november;"
    " dezember",
    "Dutch": "januari; februari; maart; april; mei; juni; juli; augustus; september; oktober;"
    " november; december",
    "French": "janvier; février; mars; avril; mai; juin; juillet; août; septembre; octobre;"
    " novembre; décembre",
    "Spanish": "enero; febrero; marzo; abril; mayo; junio; julio; agosto; septiembre setiembre;"
    " octubre; noviembre; diciembre",
    "Portuguese": "janeiro; fevereiro; março; abril; maio; junho; julho; agosto; setembro; outubro;"
    " novembro; dezembro",
    "Italian": "gennaio; febbraio; marzo; aprile; maggio; giugno; luglio; agosto; settembre;"
    " ottobre; novembre; dicembre",
    "Polish": "stycznia; lutego; marca; kwietnia; maja; czerwca; lipca; sierpnia; września;"
    " października; listopada; grudnia",
    "Turkish": "ocak; şubat; mart; nisan; mayıs; haziran; temmuz; ağustos; eylül; ekim; kasım;"
    " aralık",
    "Russian": "января; февраля; марта; апреля; мая; июня; июля; августа; сентября; октября;"
    " ноября; декабря",
}
