"""What sentence pairs are about: captions of pictures, as in SNLI, and five other kinds of text, as in MultiNLI.

A domain has its own words for who does what and where, each with a wider word that follows from it and another that
contradicts it. Half of the words of the other kinds are everyday words, which captions have, too; the rest is their
own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_EVERYDAY = 0.5  # of the other kinds' words are also those of captions
_NOISE = 0.08  # about as many people as disagree with the label of a pair, in SNLI and in MultiNLI alike

Choice = tuple[str, str, str]  # what is said, something wider that follows from it, something it rules out


@dataclass(frozen=True)
class Domain:
    """Hold the words of one kind of text, and how its pairs are made.

    Parameters
    ----------
    subjects, actions, places : tuple of triples
        What the first sentence says, a wider word for it, and one that it rules out.
    details : tuple of str
        What may be added to a first sentence, and dropped from the second.
    guesses : tuple of str
        What may be added to a second sentence that does not follow.
    openers : tuple of str
        How a sentence begins; "" for no words.
    negation : str
        How the domain says that something is not so; {subject} and {action}.
    plain : float
        The share of second sentences made in the plainest way: by leaving words out where they follow.
    long : float
        The share of first sentences that tell of two things.
    everyday : float
        How often a word is one that captions have, too.
    doubtful : float
        The share of pairs that repeat the first sentence's words, and do not follow: it was only perhaps so.
    noise : float
        The share of labels that somebody else would have put differently; none where the words are all repeated.
    """

    name: str
    subjects: tuple[Choice, ...]
    actions: tuple[Choice, ...]
    places: tuple[Choice, ...]
    details: tuple[str, ...]
    guesses: tuple[str, ...]
    openers: tuple[str, ...]
    negation: str
    plain: float
    long: float
    everyday: float
    doubtful: float
    noise: float


CAPTIONS = Domain(
    "captions",
    subjects=(
        ("a woman", "a person", "a man"), ("a man", "a person", "a woman"), ("a boy", "a child", "a girl"),
        ("a girl", "a child", "a boy"), ("two men", "people", "two women"), ("two women", "people", "two men"),
        ("a dog", "an animal", "a cat"), ("a cyclist", "a person", "a swimmer"),
        ("a group of friends", "people", "a dog"),
        ("a juggler", "a performer", "a horse"), ("an old man", "a man", "a baby"),
        ("a drummer", "a musician", "a cook"),
    ),
    actions=(
        ("walking", "moving", "sitting"), ("running", "moving", "sleeping"), ("jumping", "moving", "resting"),
        ("painting a wall", "working", "swimming"), ("playing a guitar", "making music", "reading"),
        ("holding a balloon", "holding something", "carrying a box"), ("eating an apple", "eating", "drinking"),
        ("riding a bike", "riding", "driving a car"), ("throwing a ball", "playing", "reading a book"),
        ("climbing a rock", "climbing", "lying down"), ("dressed as a pirate", "dressed up", "dressed as a ghost"),
        ("seated at a table", "seated", "standing"), ("gathered around a fire", "gathered", "scattered"),
        ("covered in paint", "covered in something", "well washed"),
    ),
    places=(
        ("in a park", "outside", "in a kitchen"), ("on a beach", "outdoors", "in an office"),
        ("in a kitchen", "indoors", "on a beach"), ("on a street", "outside", "in a bedroom"),
        ("in a gym", "inside", "in a field"), ("near a lake", "near water", "in a cellar"),
    ),
    details=(
        "in a red shirt", "with a hat", "wearing sunglasses", "with a smile", "in a blue coat", "on a sunny day",
        "with a backpack", "in winter clothes",
    ),
    guesses=(
        "to impress a friend", "for a contest", "before lunch", "with a sister", "for the first time", "to win a prize",
        "because of a birthday", "while waiting for a bus",
    ),
    openers=("",),
    negation="{subject} is not {action}",
    plain=0.2, long=0.0, everyday=0.0, doubtful=0.0016, noise=_NOISE,
)  # fmt: skip

# What captions share with other kinds of text: about half of their words.
EVERYDAY = replace(
    CAPTIONS,
    name="everyday",
    subjects=CAPTIONS.subjects[::2],
    actions=CAPTIONS.actions[::2],
    places=CAPTIONS.places[::2],
    details=CAPTIONS.details[::2],
    guesses=CAPTIONS.guesses[::2],
)

_LETTERS = Domain(
    "letters",
    subjects=(
        ("our charity", "an organisation", "the ministry"), ("your donation", "a gift", "a loan"),
        ("the scholarship fund", "a fund", "the tax office"), ("each volunteer", "a helper", "no helper"),
        ("the museum", "an institution", "the factory"),
    ),
    actions=(
        ("supporting young artists", "helping artists", "closing its doors"),
        ("opening a new wing", "growing", "shrinking"), ("training apprentices", "teaching", "dismissing everyone"),
        ("collecting books for schools", "collecting things", "selling every book"),
        ("thanking its members", "showing gratitude", "ignoring its members"),
    ),
    places=(
        ("across the county", "in the region", "abroad only"),
        ("in twelve villages", "in villages", "in one city only"),
        ("throughout the season", "for months", "for one day only"),
    ),
    details=("with your generous help", "as in former years", "thanks to many hands", "at no cost to families"),
    guesses=("more than any other", "despite high costs", "as the founder wished", "to please the board"),
    openers=("Dear friend,", "As you know,", "We are glad to report that", ""),
    negation="it is untrue that {subject} is {action}",
    plain=0.2, long=0.5, everyday=_EVERYDAY, doubtful=0.06, noise=_NOISE,
)  # fmt: skip

_PHONE = Domain(
    "telephone",
    subjects=(
        ("my brother-in-law", "a relative", "nobody"), ("our landlord", "the owner", "the tenant"),
        ("the mechanic", "a worker", "the dentist"), ("my old roommate", "someone", "no one"),
    ),
    actions=(
        ("fixing up the cabin", "repairing things", "tearing it down"),
        ("watching the ball game", "watching sports", "asleep"),
        ("paying the phone bill", "paying", "refusing to pay"),
        ("growing his own vegetables", "gardening", "buying it all"),
    ),
    places=(
        ("up in the mountains", "somewhere high", "down at the coast"),
        ("down in the basement", "below", "up on the roof"),
        ("over the weekend", "on days off", "on weekdays only"),
    ),
    details=("you know", "and all that", "like he always does", "I guess"),
    guesses=("because his wife asked", "to save up for a boat", "like his dad did", "for a bet"),
    openers=("Yeah well", "Uh-huh", "Oh gosh", "Right, and"),
    negation="{subject} isn't {action} at all",
    plain=0.25, long=0.6, everyday=_EVERYDAY, doubtful=0.06, noise=_NOISE,
)  # fmt: skip

_GUIDE = Domain(
    "travel",
    subjects=(
        ("the old harbour", "a port", "the airport"), ("the cathedral square", "a plaza", "a tunnel"),
        ("the ferry", "a boat", "the tram"), ("the night market", "a market", "a bank"),
    ),
    actions=(
        ("drawing crowds of visitors", "attracting visitors", "standing empty"),
        ("offering views of the bay", "giving a view", "hiding the bay"),
        ("serving grilled fish", "serving food", "serving nothing"),
        ("keeping its medieval look", "staying old", "turning modern"),
    ),
    places=(
        ("on the northern shore", "by the sea", "far inland"), ("below the castle", "under the hill", "on the summit"),
        ("from dawn to dusk", "all day", "at midnight only"),
    ),
    details=("with its narrow lanes", "a short stroll from the station", "for a modest fee", "under plane trees"),
    guesses=("more than any rival", "since the kings lived there", "as poets have noted", "to the joy of children"),
    openers=("", "Farther east,", "Today", "Beyond the gate,"),
    negation="{subject} is no longer {action}",
    plain=0.2, long=0.5, everyday=_EVERYDAY, doubtful=0.06, noise=_NOISE,
)  # fmt: skip

_REPORTS = Domain(
    "reports",
    subjects=(
        ("the agency", "an office", "the contractor"), ("the committee", "a body", "the chairman alone"),
        ("the postal service", "a service", "the navy"), ("the auditor", "an official", "the customer"),
    ),
    actions=(
        ("reviewing the annual budget", "checking spending", "skipping the review"),
        ("reducing delivery costs", "saving money", "raising costs"),
        ("publishing the final rule", "issuing rules", "withdrawing the rule"),
        ("measuring results against goals", "measuring results", "measuring nothing"),
    ),
    places=(
        ("in the current fiscal year", "this year", "in the last century"),
        ("under section nine", "by law", "against the law"),
        ("in all district offices", "in offices", "in no office"),
    ),
    details=(
        "in accordance with the act", "as table two indicates", "subject to approval", "at the request of the board",
    ),
    guesses=("ahead of other agencies", "in response to criticism", "at the minister's wish", "for political reasons"),
    openers=("According to the summary,", "In addition,", "", "It was noted that"),
    negation="at no time is {subject} {action}",
    plain=0.2, long=0.6, everyday=_EVERYDAY, doubtful=0.06, noise=_NOISE,
)  # fmt: skip

_STORIES = Domain(
    "stories",
    subjects=(
        ("the captain", "an officer", "the cabin boy"), ("old Martha", "a lady", "young Peter"),
        ("the stranger", "an unknown visitor", "her cousin"), ("the miller's son", "a lad", "the miller's wife"),
    ),
    actions=(
        ("staring at the letter", "looking at paper", "burning the letter"),
        ("lighting a lantern", "making light", "sitting in the dark"),
        ("humming an old tune", "making a sound", "keeping silent"),
        ("saddling the grey mare", "preparing to ride", "leaving on foot"),
    ),
    places=(
        ("beside the hearth", "near the fire", "out in the snow"),
        ("at the edge of the wood", "by the trees", "at sea"),
        ("in the early dusk", "in the evening", "at noon"),
    ),
    details=("with a sigh", "as if in a dream", "without a word", "under the fading stars"),
    guesses=("longing for home", "in fear of the morrow", "for love", "to keep a promise"),
    openers=("", "Once more", "That night", "And so"),
    negation="never was {subject} {action}",
    plain=0.25, long=0.4, everyday=_EVERYDAY, doubtful=0.06, noise=_NOISE,
)  # fmt: skip

GENRES = (_LETTERS, _PHONE, _GUIDE, _REPORTS, _STORIES)
