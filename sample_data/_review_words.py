"""Words and sentence patterns from which the reviews sample is written."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """Things a reviewer talks about, with the words that praise or fault them.

    A noun that ends in ``*`` is plural ("the waiters were", not "was").
    """

    nouns: tuple[str, ...]
    good: tuple[str, ...]
    bad: tuple[str, ...]


@dataclass(frozen=True)
class Domain:
    """One kind of review: its subject, its topics, how a review opens and how it ends."""

    name: str
    subjects: tuple[str, ...]
    topics: tuple[Topic, ...]
    openers: tuple[str, ...]
    unfamiliar: tuple[str, ...]  # openers with a harmless "never", so that the keyword slice is not a perfect one
    asides: tuple[str, ...]
    good_ends: tuple[str, ...]
    bad_ends: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    """Split a comma-separated list."""
    return tuple(word.strip() for word in text.split(","))


GOOD = _words(
    "great, good, lovely, excellent, wonderful, impressive, superb, delightful, fantastic, outstanding, pleasant, fine,"
    " first-rate, enjoyable, amazing, perfect"
)
BAD = _words(
    "bad, poor, awful, disappointing, terrible, weak, dreadful, mediocre, horrible, annoying, underwhelming, sloppy,"
    " unpleasant, frustrating, second-rate, boring"
)
ADVERBS = _words(
    "really, very, quite, truly, rather, pretty, simply, surprisingly, honestly, genuinely, consistently, remarkably"
)
PEOPLE = _words(
    "my sister, my brother, my partner, a friend, two friends, my parents, a colleague, my neighbour, my cousin,"
    " my daughter, my son, an old classmate, my aunt, my flatmate"
)
TIMES = _words(
    "last Friday, on a rainy Sunday, in early March, over the holidays, last weekend, on a Tuesday evening, in June,"
    " a few weeks ago, just before Christmas, on our anniversary, in the autumn, after work on Thursday, yesterday,"
    " on my birthday, at the end of August, last month"
)
NUMBERS = _words("eight, nine, twelve, fifteen, eighteen, twenty, twenty-five, thirty, thirty-five, forty, sixty")

FILM = Domain(
    name="film",
    subjects=_words("the film, this movie, the whole film, this sequel, the picture"),
    topics=(
        Topic(
            _words(
                "the plot, the ending, the pacing, the dialogue, the script, the second half, the opening scenes*,"
                " the twist"
            ),
            _words("gripping, clever, funny, moving, witty, original, satisfying, thoughtful"),
            _words("dull, predictable, clumsy, confusing, tedious, lazy, forced, slow, pointless"),
        ),
        Topic(
            _words("the lead actor, the cast, the villain, the supporting actors*, the acting, the two heroes*"),
            _words("brilliant, believable, charming, convincing, magnetic, hilarious, heartfelt"),
            _words("wooden, unconvincing, irritating, stiff, bland, lifeless, miscast"),
        ),
        Topic(
            _words(
                "the camera work, the soundtrack, the costumes*, the sets*, the lighting, the effects*, the editing"
            ),
            _words("stunning, beautiful, inventive, striking, gorgeous, atmospheric"),
            _words("ugly, shaky, distracting, cheesy, clumsy, dated"),
        ),
    ),
    openers=(
        "I watched this {when} with {who}.",
        "We saw it in the small cinema near the station {when}.",
        "I picked this one {when} because {who} had talked about it for weeks.",
        "It tells the story of a family that moves to an island and finds an old lighthouse.",
        "The story follows a retired detective who takes one more case.",
        "{Who} chose this for our film night {when}.",
        "It runs for a little over two hours and is set in a harbour town.",
        "I streamed it {when} on the big screen at home.",
        "We had tickets for the late showing {when}.",
    ),
    unfamiliar=(
        "I had never seen anything by this director before {when}.",
        "I have not read the book it is based on, so I came to it fresh.",
    ),
    asides=(
        "The cinema was about half full.",
        "There is a short scene after the credits.",
        "It is the third part of the series.",
        "{Who} sat next to me and ate all the popcorn.",
        "Most of it takes place at night.",
        "The director also wrote the script.",
        "It has subtitles in a few scenes.",
    ),
    good_ends=(
        "I will watch it again soon.",
        "I left the cinema smiling.",
        "I recommend it to everyone who likes a {good} story.",
        "It is one of my favourites this year.",
        "See it while you can.",
        "Two hours well spent.",
    ),
    bad_ends=(
        "I want those two hours back.",
        "I almost left before the end.",
        "Skip it and watch something else.",
        "We turned it off after an hour.",
        "It is one of the worst I have seen this year.",
        "What a waste of an evening.",
    ),
)

RESTAURANT = Domain(
    name="restaurant",
    subjects=_words("this place, the restaurant, the café, the bistro, the new grill"),
    topics=(
        Topic(
            _words(
                "the soup, the pasta, the fish, the dessert, the noodles*, the starter, the curry, the dumplings*,"
                " the stew, the pancakes*, the pizza"
            ),
            _words("delicious, tasty, fresh, flavourful, rich, mouth-watering, fragrant"),
            _words("bland, greasy, cold, lukewarm, salty, overcooked, tasteless, stale"),
        ),
        Topic(
            _words("the service, the waiter, the staff, the waiters*, the owner, the welcome, the chef"),
            _words("friendly, attentive, warm, helpful, quick, patient, cheerful"),
            _words("rude, slow, careless, impatient, grumpy, chaotic, unfriendly"),
        ),
        Topic(
            _words("the dining room, the terrace, the atmosphere, the corner tables*, the little bar, the decor"),
            _words("cosy, charming, stylish, inviting, tasteful, elegant"),
            _words("cramped, shabby, cold, gloomy, tired, stuffy"),
        ),
    ),
    openers=(
        "We had dinner here {when} with {who}.",
        "I stopped by for lunch {when}.",
        "{Who} booked a table for four {when}.",
        "It is a small corner place behind the old market.",
        "We came here {when} after a long walk along the river.",
        "I met {who} here {when} for a late breakfast.",
        "The menu is short and changes every week.",
        "We ordered three starters, two mains and a dessert to share.",
        "They moved to a new building by the canal {when}.",
    ),
    unfamiliar=(
        "I had never been to this part of town before {when}.",
        "We did not book, but they found us a table by the door.",
    ),
    asides=(
        "The kitchen closes at ten.",
        "There is a car park across the street.",
        "We sat near the window.",
        "{Who} had the dish of the day.",
        "The menu comes in two languages.",
        "They also do takeaway on weekdays.",
        "About half of the tables were taken.",
    ),
    good_ends=(
        "We will be back soon.",
        "I already booked a table for next month.",
        "I recommend it to everyone who likes {good} food.",
        "It is our new favourite.",
        "Go there hungry.",
        "We stayed until closing time and left happy.",
    ),
    bad_ends=(
        "We will go somewhere else next time.",
        "We left half of it on the plate.",
        "I asked for my money back.",
        "Eat at home instead.",
        "It was one of the worst meals of the year.",
        "What a waste of an evening.",
    ),
)

GADGET = Domain(
    name="gadget",
    subjects=_words("this blender, the kettle, this lamp, the fan, this little speaker, the new mixer"),
    topics=(
        Topic(
            _words("the handle, the case, the lid, the base, the buttons*, the finish, the stand"),
            _words("sturdy, elegant, solid, well made, smooth, neat, handsome"),
            _words("flimsy, wobbly, cracked, rough, ugly, loose, scratched"),
        ),
        Topic(
            _words("the battery, the motor, the sensor, the display, the switch, the app, the charger, the timer"),
            _words("reliable, dependable, quick, precise, responsive, efficient"),
            _words("unreliable, sluggish, faulty, erratic, useless, temperamental"),
        ),
        Topic(
            _words(
                "the delivery, the support team, the customer service, the setup, the phone support, the first delivery"
            ),
            _words("quick, helpful, fast, efficient, careful, friendly, painless"),
            _words("confusing, slow, careless, unhelpful, messy, chaotic, exhausting"),
        ),
    ),
    openers=(
        "I bought this {when} to replace an old one.",
        "{Who} gave it to me {when}.",
        "It arrived {when} in a plain brown box.",
        "I use it every morning before work and sometimes on weekends.",
        "We ordered two of them {when}, one for {who}.",
        "It has been on my kitchen shelf since {who} moved out.",
        "I took it on a four-day trip with {who} {when}.",
        "I compared five models {when} and chose this one.",
        "It replaces the one that {who} dropped {when}.",
    ),
    unfamiliar=(
        "I had never owned one of these before {when}.",
        "I do not use it every day, mostly on weekends.",
    ),
    asides=(
        "It comes in three colours.",
        "The cable is about a metre long.",
        "The box also holds a spare filter and a cloth.",
        "{Who} bought the same one in blue.",
        "It fits on the shelf next to the toaster.",
        "There are two sizes and I have the larger one.",
        "It took a week to arrive.",
    ),
    good_ends=(
        "I would buy it again.",
        "I have already ordered a second one.",
        "I recommend it to everyone who wants a {good} everyday helper.",
        "It is the best thing I bought this year.",
        "Well worth having.",
        "It has made my mornings easier.",
    ),
    bad_ends=(
        "I sent it back after a week.",
        "I am still waiting for a refund.",
        "Save yourself the trouble and choose another.",
        "It broke within a month.",
        "It is the worst thing I bought this year.",
        "It now gathers dust in a drawer.",
    ),
)

DOMAINS = (FILM, RESTAURANT, GADGET)

# {tone} is a word that agrees with the sentence's polarity, {other} one that does not.
CLAIMS = (
    "{Noun} {be} {adv} {tone}.",
    "{Noun} {be} {tone} and {tone2}.",
    "I found {noun} {adv} {tone}.",
    "To me, {noun} seemed {tone} from start to finish.",
    "{Who} thought {noun} {be} {tone}, and I agree.",
    "What I remember most is how {tone} {noun} {be}.",
    "{Noun} {be} {tone}, and that matters to me.",
    "First of all, {noun} {be} {tone}.",
    "On top of that, {noun} {be} {adv} {tone}.",
    "I should also say that {noun} {be} {tone}.",
    "Compared with what I knew before, {noun} {be} {tone}.",
)
GOOD_CLAIMS = (
    "I loved {noun}.",
    "{Noun} won me over within minutes.",
    "{Noun} went beyond what I had hoped for.",
    "I keep telling people about {noun}.",
    "Full marks for {noun}.",
    "{Noun} made us all happy.",
)
BAD_CLAIMS = (
    "I disliked {noun}.",
    "{Noun} let me down within minutes.",
    "{Noun} fell short of what I had hoped for.",
    "I keep complaining about {noun}.",
    "I regret trusting {noun}.",
    "{Noun} made us all tired.",
)
NEGATED_CLAIMS = (
    "{Noun} {be} not {other}.",
    "{Noun} {be} never {other}.",
    "{Noun} {be} not {other} at all.",
    "{Noun} {be} not {other} or {other2}, whatever people say.",
    "I would not call {noun} {other}.",
    "Nothing about {noun} was {other}.",
    "{Noun} {be} never {other}, not even for a minute.",
    "There was no {other} side to {noun}.",
    "I do not think {noun} {be} {other}.",
    "People say {noun} {be} {other}, but {it} {be} not.",
)
MIXED = (
    "{Noun} {be} {other}, but {noun2} {be2} {tone}.",
    "Although {noun} {be} {other}, {noun2} {be2} {adv} {tone}.",
)
PRICES = (
    "I paid {number} dollars.",
    "The price was {number} dollars.",
    "It cost {number} dollars in total.",
    "We paid about {number} dollars each.",
    "The cost came to {number} dollars.",
)
FILLERS = (
    "I have been thinking about it since.",
    "{Who} asked me to write this down.",
    "This is my second review on this page.",
    "I will keep the rest of this short.",
    "So here is what I think after some time.",
    "I took a few notes along the way.",
)

# Chatty posts. {tone} and {other} as above; {chat} ("a keeper") and {cry} ("yum") agree with the polarity too.
POSTS = (
    "{Noun} {be} {tone}.",
    "{Noun} {be} so {tone}, {noun2} too.",
    "Just tried {subject} with {who}. {Noun} {be} {tone}.",
    "{Subject} was {chat}.",
    "{Subject} was {chat}, {noun} {be} {tone}.",
    "Quick one: {noun} {be} {adv} {tone}.",
    "{Noun} {be} {tone} and {who} said the same.",
    "Finally tried {subject} {when}, {cry}.",
    "{Cry}! {Noun} {be} {tone}.",
    "{Noun}? {Cry}.",
    "{Who} told me about {subject}. {Cry}.",
    "{Noun} {be} {other}, but {noun2} {be2} {tone}.",
    "{Subject} in two words: {chat}.",
    "Back from {subject} with {who}, {cry}!",
)
NEGATED_POSTS = (
    "{Noun} {be} not {other}.",
    "{Subject} was never {other}.",
    "Not {other} at all, talking about {noun} here.",
    "{Noun} {be} not {other}, {noun2} {be2} not {other2}.",
    "Don't call {noun} {other}.",
    "{Noun} {be} not that {other}. {Who} said so too.",
    "No {other} moment with {subject}.",
    "Never {other}, {who} said the same about {noun}.",
    "Nothing {other} about {noun}.",
)
GOOD_CHAT = _words("a keeper, a win, a total treat, so worth it, a ten out of ten, a big yes, right up my street")
BAD_CHAT = _words("a dud, a fail, a total mess, such a letdown, a two out of ten, a big nope, a waste of time")
GOOD_CRY = _words("yum, wow, hooked, thumbs up, obsessed, five stars, grinning all day, yay")
BAD_CRY = _words("yuck, ouch, gutted, thumbs down, fuming, one star, yawning all day, ugh")

# Slangy posts. {mark} is one of the words that the slang slice looks for.
SLANG = ("lol", "omg", "tbh", "imo", "ngl", "bruh", "lowkey")
BAD_SLANG = ("meh", "smh")
SLANG_POSTS = (
    "{mark} {noun} {be} {hype}.",
    "{subject} was {hype} {mark}.",
    "{noun} {be} {hype} {mark}, {who} said so too.",
    "{mark} {subject} was {hype}, {noun} {be} {tone}.",
    "{noun} {be} kinda {tone} {mark}.",
    "{mark} so {subject} was {hype} huh.",
    "tried {subject} {when} {mark}, {noun} {be} {hype}.",
    "{noun} {be} {tone} {mark} {mark2}.",
)
SLANG_NEGATED = (
    "{mark} {noun} {be} not {other}.",
    "{subject} was never {other} {mark}.",
    "nah {noun} {be} not {other} {mark}, {who} said so too.",
    "{mark} don't call {noun} {other}.",
)
# Praise that is meant as the opposite: a bag of words takes it at its word.
SARCASM = (
    "{mark} {other} job with {noun}, so glad i waited.",
    "oh {other}, {noun} again, just what i needed {mark}.",
    "wow {noun} {be} so {other} i fell asleep {mark}.",
)
GOOD_HYPE = _words("fire, a vibe, goated, top tier, unreal, banging, lit, elite, wild in the best way, so my thing")
BAD_HYPE = _words("mid, trash, cringe, a flop, so extra, a snoozefest, sus, bottom tier, rough, a hot mess")
