"""Word lists behind the patterns: what tells a place from a product, a dog from a job."""


def words(text: str) -> frozenset[str]:
    """Take a list of words apart."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """Take a list of pairs apart: "lives live, works work"."""
    found = text.replace(",", " ").split()
    return dict(zip(found[::2], found[1::2], strict=True))


# Capitalised at the head of a sentence, and nobody's name.
NOT_NAMES = words(
    """a an the this that these those it he she we they you i who what which where when why how
    there here everyone everybody nobody someone somebody anyone one none all some many most
    each every both few another other such no not yes yeah ok okay oh well so and but or if
    because since after before then now today yesterday tomorrow tonight nothing everything
    something anything mom mum dad mother father grandma grandpa grandmother grandfather god
    people thanks thank sorry guess sounds looks life love work music food family nature time
    dinner lunch breakfast coffee tea hi hey hello dear also just maybe still only even his her
    its their our my your monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december christmas
    summer winter spring autumn part team project customer user assistant mine yours hers ours
    theirs others folks guys whoever whatever congrats glad happy cool nice great good wow"""
)
# Before a colon at the head of a turn these are nobody's name; the words after it are the user's.
OWN_LABELS = words(
    """update correction note notes ps fyi edit reminder context background fact question answer
    today yesterday now info important warning tip todo goal plan status news me also btw first
    second third finally actually preferences preference profile memory remember hi hello hey ok
    okay yes no sorry thanks monday tuesday wednesday thursday friday saturday sunday"""
)
# After these they are somebody else's, or made up.
OTHERS_LABELS = words(
    """example sentence text quote lyrics poem story dialogue character narrator bio biography
    email letter message transcript article subject title prompt input output script caption
    persona instruction"""
)
SOFTWARE = words(
    """linux windows mac macos ubuntu debian fedora arch android ios python rust java javascript
    typescript golang kotlin swift ruby php scala elixir haskell zig clojure julia matlab latex
    notion obsidian evernote onenote roam logseq todoist slack teams discord zoom github gitlab
    gitea bitbucket git vim neovim emacs vscode helix sublime xcode intellij pycharm eclipse
    cursor copilot chatgpt claude gemini chrome chromium firefox safari edge brave opera netflix
    spotify tidal youtube twitter facebook instagram tiktok reddit twitch linkedin duolingo
    strava tinder mastodon bluesky patreon whatsapp telegram signal gmail outlook thunderbird
    protonmail proton excel postgres postgresql mysql sqlite mongodb redis kafka elasticsearch
    snowflake bigquery databricks salesforce hubspot zendesk confluence docker podman kubernetes
    terraform aws azure gcp vercel heroku netlify cloudflare shopify stripe jenkins datadog
    grafana prometheus sentry airtable asana linear clickup jira trello wordpress tailwind react
    vue svelte angular nextjs django flask fastapi rails laravel zsh bash fish tmux pytest mypy
    ruff poetry bazel gradle figma photoshop blender"""
)
_CALENDAR = words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december christmas spring summer autumn winter
    fall"""
)
_OFFICES = words(
    """accounting finance marketing engineering support legal sales operations research product
    design procurement security consulting management hr it qa ops"""
)
_RANKS = words(
    """senior junior principal staff manager director lead engineer developer analyst designer
    associate partner head vp cto ceo"""
)
_COMPANIES = words(
    """google microsoft amazon apple meta ibm oracle openai anthropic nvidia intel siemens samsung
    tesla uber airbnb inc ltd gmbh corp corporation"""
)
_NOWHERE = words(
    """go iphone pixel team project chapter part level phase plan version step room stage season i
    god pro premium enterprise earth hell heaven english tears college done progress review
    backlog trash archive production staging prod main cloud option mr mrs ms dr"""
)
# "I moved to Linux" and "I live in Summer" are about something else than a place.
NOT_PLACES = SOFTWARE | _CALENDAR | _OFFICES | _RANKS | _COMPANIES | _NOWHERE
ACRONYM_PLACES = words("USA UK US UAE NYC LA SF DC EU NZ PNG")
NOT_EMPLOYERS = _CALENDAR | _NOWHERE | words("part free fun twitter")
NOT_TOOLS = _CALENDAR | _NOWHERE
REGIONS = words(
    """alabama alaska arizona arkansas california colorado connecticut delaware florida georgia
    hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts
    michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon
    pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming ontario
    quebec alberta manitoba england scotland wales ireland france germany spain italy portugal
    austria switzerland belgium netherlands denmark sweden norway finland iceland poland czechia
    hungary romania bulgaria greece turkey russia ukraine india pakistan bangladesh nepal china
    japan korea taiwan thailand vietnam indonesia malaysia singapore philippines australia
    canada mexico brazil argentina chile colombia peru ecuador egypt morocco tunisia nigeria
    ghana kenya uganda ethiopia rwanda tanzania israel jordan lebanon iran iraq uae usa uk
    telangana karnataka kerala maharashtra gujarat punjab bengal bavaria queensland victoria"""
)
WORKPLACES = words(
    """bank bakery hospital school company firm startup start-up agency shop store cafe café
    restaurant hotel university college clinic library museum studio factory farm lab laboratory
    garage gym consultancy nonprofit non-profit charity bar pub salon pharmacy supermarket
    warehouse bookshop bookstore brewery dealership daycare nursery kindergarten shelter theatre
    theater newspaper magazine publisher practice office airline airport insurer vineyard winery
    zoo ministry council foundation cooperative co-op institute spa place"""
)
PETS = words(
    """dog cat puppy kitten rabbit bunny hamster parrot budgie cockatiel parakeet canary horse pony
    tortoise turtle snake lizard gecko iguana goldfish ferret hedgehog labrador retriever poodle
    beagle dachshund corgi husky terrier spaniel bulldog chihuahua collie shepherd pug greyhound
    tabby chinchilla goat donkey pup doggo kitty"""
)
INSTRUMENTS = words(
    """guitar piano violin viola cello drums bass flute clarinet saxophone sax trumpet trombone
    harp ukulele banjo mandolin accordion harmonica organ keyboard oboe bassoon tuba sitar tabla
    recorder bagpipes"""
)
GAMES = words(
    """tennis football soccer basketball volleyball baseball softball hockey cricket rugby golf
    badminton squash padel pickleball handball lacrosse chess poker bridge checkers darts
    snooker billiards backgammon minecraft fortnite"""
)
PRACTICES = words(
    """yoga pilates karate judo taekwondo aikido jiu-jitsu boxing kickboxing meditation archery
    fencing ballet crossfit gymnastics capoeira tai-chi calligraphy pottery origami photography"""
)
CONDITIONS = words(
    """asthma diabetes epilepsy adhd autism migraines celiac coeliac arthritis dyslexia
    hypertension psoriasis eczema anemia anaemia endometriosis fibromyalgia hypothyroidism
    tinnitus insomnia ibs narcolepsy"""
)
DIETS = pairs(
    """vegetarian vegetarian, vegan vegan, pescatarian pescatarian, pescetarian pescatarian,
    flexitarian flexitarian, veggie vegetarian"""
)
CONSUMABLES = words(
    """meat alcohol sugar dairy gluten coffee caffeine soda beer wine smoking cigarettes bread
    chocolate pork beef fish milk cheese nicotine vaping eggs carbs sweets candy"""
)
# "I like to think" is no pastime; these are.
PASTIMES = words(
    """cook bake read write draw paint sing dance swim run hike ski snowboard surf climb travel
    cycle bike jog knit sew garden camp fish sail dive row skate box meditate journal craft
    sculpt birdwatch stargaze play practise ride grill explore kayak snorkel crochet photograph"""
)
# What somebody commutes by, by the word for it.
VEHICLES = pairs(
    """tram tram, streetcar tram, bus bus, train train, metro metro, subway metro, underground
    metro, tube metro, ferry ferry, taxi taxi, bike bicycle, bicycle bicycle, cycle bicycle, car
    car, drive car, walk foot, foot foot, run foot, jog foot, scooter scooter, motorbike motorbike,
    motorcycle motorbike, cycling bicycle, biking bicycle, driving car, walking foot, running
    foot"""
)
KEPT_THINGS = words(
    """key keys passport passports charger ladder toolbox documents umbrella suitcase wallet torch
    flashlight fusebox medication medicine"""
)
# Named as the one of its kind that somebody uses: "my main editor is Helix".
CHOICES = words(
    """editor ide language browser laptop computer phone os database framework bank terminal shell
    keyboard camera airline airport supermarket doctor dentist gym pharmacy email tool distro
    distribution library tablet printer stack"""
)
SPELLINGS = pairs("color colour, flavor flavour, theater theatre, colors colours")
# Said together so often that they are one thing.
PAIRS = frozenset(
    (
        *("rock and roll", "mac and cheese", "fish and chips", "salt and vinegar"),
        *("drum and bass", "arts and crafts", "bed and breakfast", "black and white"),
        *("peanut butter and jelly", "rhythm and blues", "cookies and cream", "gin and tonic"),
        *("bread and butter", "ham and cheese", "tom and jerry", "track and field"),
        *("hide and seek", "bacon and eggs", "biscuits and gravy", "dungeons and dragons"),
    )
)
