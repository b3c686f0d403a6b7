"""Hot: what a hook may inject. A gate on top of recall: it drops and reorders hits, it never changes their scores.

Every parameter is in this file; docs/ranking.md says how each was chosen. Three questions decide about a fact:

- Does it share a *telling* term with the prompt? Words that steer a conversation (run, fix, add, file, thanks …) do not,
  neither do single letters and numbers below 100, nor words that a good part of the facts hold.
- How much of the prompt's weight does it cover? A term weighs its rarity in the store, a steering word a fifth of that.
- Or, for long prompts: would so many rare terms meet in one fact by chance?
"""

from __future__ import annotations

from gmhooks.recall.lexical import DISCOUNT
from gmhooks.recall.logarithm import ln
from gmhooks.recall.merge import without_repeats
from gmhooks.store.records import CLI, CONFIDENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.engine import Hit, Ranked

SILENT, WEAK, STRONG = range(3)

# How many facts a hook asks of each namespace, and how many it may show of each per tier.
DEPTH = 4
SHOWN = (0, 1, 3)
# Share of the prompt's weight that a fact must cover.
STRONG_COVER = 0.2
WEAK_COVER = 0.1
# Weight of a steering word beside an equally rare telling one.
STEERING = 0.2
# Rarity, 0 (in every fact) to 1 (in none), below which a term tells nothing.
RARITY = 0.5
# A single matched term is strong evidence only if at most so many facts hold it.
FEW = 4
# Facts that cover less than this part of the best one's weight stay out.
NEAR_BEST = 0.55
# Facts that hold the same terms of the prompt and so much of the shorter one's words are taken for versions of one fact.
ALIKE = 0.3
# Rarity is judged as if the store held at least so many facts.
SMALL_STORE = 200

# Steers in a prompt that says nothing else ("run the tests again"), beside anything else it is what the prompt is about.
_TOPIC = "test"
# As the analyzer writes them, blanks around each, by first letter: strings load faster than sets. What steers in English,
# number words, function words of six more languages; not what is technical too (ci, os, eu).
_STEERING_WORDS = {
    "a": " abbiamo aber abov actual add adelant adesso adiciona afternoon again aggiungi ago agora agrega ahora ainda "
    "aiuta aiutami ajout ajud ajuda al algo all aller allez allora almost along alor alreadi alright also although "
    "altra altro alway am amanha an anch ancora ander anderen anoth ant anybodi anyon anyth anyway anywher ao apaga "
    "apart aqui aquilo arregla arreglar as asi ask aspetta au auch auf aun aunqu aus aussi autr aux avant avanti avec "
    "aver avez avoir away awesom ayer ayuda ayudar ",
    "b": " back bad beaucoup becaus begin bei beim believ below bene besoin besser best better bien big bigger bis "
    "bisogno bist bit bitt bon bonjour borra brauch brauchen bring brought buena bueno bug busca buscar bye ",
    "c": " cada cambia cambiar came care carri case casi ce cela ces cett chang chaqu che check cherch chez chi ciao "
    "claro clear close code come comm comment commit como con continu continua continuez continui contra convert cool "
    "copi correct corrig cosa creat cual cuando cuanto curious ",
    "d": " da dafur dame damit dan danach dank dann das dass day de decir dein del delet dem demain den denk depoi "
    "depui der dernier des describ desd despu deux deve devi devo di dia dich die dies dieser differ dime dimmi dir "
    "diz do doch doi donc dond done dort dove dozen du durant durch ",
    "e": " earli earlier easi easier ecri edit eight ein einem einen einer einfach el ela ele eleven ell ella ello "
    "els em en encor enough entao entonc entr er era eram ere erklar error erst es esa escreva escrib escribir ese "
    "eso espera ess essa esser est esta estan estao estar esto et etait ete etr etwa euch even evening ever everi "
    "everybodi everyon everyth exampl excel execut explain explica explicar expliqu ",
    "f": " faca fai fail fair fait falsch far fast faster fatto faut favor fazer feel feito felt few file find fine "
    "finish first five fix foi foram forget four fue fueron function fur ",
    "g": " ganz gegen gehen geht gemacht genau generat gern gestern get gia gibt give given glaub gli go gone good "
    "goodby gostaria got gracia grazi great guarda guess gut gute guten ",
    "h": " hab habe haben habia hace hacer hacia haciendo half han hanno happen hard harder hast hasta hat hatt "
    "hatten hay haz he hecho helfen hello help here heut hey hi hier hilf hinzu ho hoje hola hold hope how howev "
    "hundr ",
    "i": " ich idea ignor ihr il im immer implement improv in instead io isso issu ist isto it ",
    "j": " ja jamai je jeder jetzt job jusqu just ",
    "k": " kann kannst keep kein keinen kept klar knew know known kommt konnen konnt konntest ",
    "l": " la las last late later le least leav left les less let letzt leur like line link list listo littl lo long "
    "longer look los lot luego lui ",
    "m": " ma mach machen machst macht mai mainten make mal manana mani mas match matter mayb me mean meant meglio "
    "mehr mein mejor melhor meme meno merci mes mesmo meu mi mich mientra mieux million mind minha minut mio mir mis "
    "misma mismo mocht modifi moi moin molta molto moment mon montr montrer more morgen morn mostr mostra mostrami "
    "mostrar move much mucha mucho muda mudar muestra muita muito muss mussen musst muy ",
    "n": " na nach nachst nada name nao naturlich ne necesita necesito need nein nel nem never new next ni nice nicht "
    "nient night nine no nobodi noch nochmal noi non none nope nos nossa nosso nostra nostro not noth notr nous now "
    "nuestra nuestro nueva nuevo nunca nur ",
    "o": " ob oben obrigada obrigado obwohl oder often ogni ohn ok okay ola old olha on ond one onli ont ontem open "
    "other otra otro ou oui outra ",
    "p": " par para part pas pela pelo per perch perfect perfecto perhap pero peu peut peux piu plan pleas poco "
    "podria point por porqu possiamo potresti pouco pour pourquoi pourrai pouvez precisa preciso prego primera "
    "primero print probabl problem proceed procura project prossimo prova pue pued pueden puo puoi push put ",
    "q": " qu quai qual qualcosa quali quand quando que quel quell quella quello quem quero quest questa questi "
    "questo qui quick quien quier quiero quindi quit quita quoi ",
    "r": " rather read readi realli reason redo refactor rememb remov renam repeat rerun revert revisa revisar rewrit "
    "richtig rien right run ",
    "s": " same san saw say schau schon schreib schreiben scrivi se sea second see seem seen seguir segun sehr sein "
    "sem sempr senza ser seria ses set seu seven sever short shorter show si siamo sich sido sie siempr siga sigu "
    "siguient simpl simpler sin sinc sind six skip slow slower slowli small smaller so sobr soll sollen sollt solo "
    "somebodi somehow someon someth sometim somewher son sono sont soon sorri sort sound spiega spiegami start stay "
    "step stesso still stop stuff su sua suchen sui summar summaris suppos supprim sur sure sus ",
    "t": " ta taken talk tambem tambien tampoco tan tard te tell tem ten tener tengo tenho ter tes thank that "
    "thing think this though thought thousand three ti tien time toda today todo togeth toi tomorrow ton tonight took "
    "toujour tous tout toward tres tri true tu tua tudo tuo turn tutti tutto twelv two ",
    "u": " uber ultima ultimo um uma un una und understand understood undo une uno unser unten unter updat upon use "
    "ust usual ",
    "v": " vai vale vamo vece veri verifi veux vez viel vielleicht voglio voila volta vom von vor vorrei vos votr "
    "voudrai voulez vous voy vuoi ",
    "w": " wait want war waren warum was way weil weiss weiter weitermachen welch welcher welcom well wenig wenn went "
    "wer werden what whatev when whenev where whether whi which who whole wie wieder willst wir wird wish within "
    "without wo wollen wonder work wors worst write wrong wurd wurden ",
    "y": " ya yeah yep yes yesterday yet yo you ",
    "z": " zeig zeigen zero zu zum zur zuruck zweit zwischen ",
}  # fmt: skip


def steers(term: str) -> bool:
    """Whether a term says how to work rather than what about."""
    if not term.isascii():
        from gmhooks.recall.foreign import steers_abroad

        return steers_abroad(term)
    return f" {term} " in _STEERING_WORDS.get(term[0], "") or len(term) == 1 or (len(term) == 2 and term.isdigit())


def worth_asking(terms: list[str]) -> bool:
    """Tier 0, before the store is touched: a prompt of steering words alone gets nothing."""
    return not all(map(steers, [term for term in terms if term != _TOPIC]))


class Prompt:
    """Weights of the prompt's terms over both namespaces together."""

    __slots__ = ("by_chance", "facts", "rarities", "tells", "total", "weights", "widths")

    def __init__(self, agent: Ranked, shared: Ranked) -> None:
        self.facts = max(agent.live + shared.live, SMALL_STORE)
        most = ln((self.facts + 1) / 0.5)
        self.tells = [not steers(term.name) for term in agent.terms]
        self.widths = [mine.df + theirs.df for mine, theirs in zip(agent.terms, shared.terms, strict=True)]
        self.rarities = [ln((self.facts + 1) / (width + 0.5)) / most for width in self.widths]
        if agent.corrected:
            held = {correction.known_term for correction in agent.corrected}
            pairs = zip(self.rarities, agent.terms, strict=True)
            self.rarities = [rarity * DISCOUNT if term.name in held else rarity for rarity, term in pairs]
        self.weights = [
            rarity if tells else rarity * STEERING for rarity, tells in zip(self.rarities, self.tells, strict=True)
        ]
        self.total = sum(self.weights)
        known = sum([tells and width > 0 for tells, width in zip(self.tells, self.widths, strict=True)])
        self.by_chance = (ln(max(known, 1)) / most, ln(self.facts) / most)


def judge(prompt: Prompt, hit: Hit) -> tuple[int, float]:
    """(tier, weight covered) of one fact."""
    told = [at for at in hit.matched if prompt.tells[at]]
    rarity = sum([prompt.rarities[at] for at in told])
    if rarity < RARITY:
        return SILENT, 0.0
    weight = sum([prompt.weights[at] for at in hit.matched])
    cover = weight / prompt.total
    each, all_facts = prompt.by_chance
    if len(told) > 1 and (cover >= STRONG_COVER or rarity - each * len(told) >= all_facts):
        return STRONG, weight
    if cover >= STRONG_COVER and prompt.widths[told[0]] <= FEW:
        return STRONG, weight
    return (WEAK if cover >= WEAK_COVER else SILENT), weight


def choose(agent: Ranked, shared: Ranked) -> tuple[int, list[Hit], list[Hit]]:
    """(tier, the project's facts, shared facts) to inject. Both rankings answer the same terms, without fillers."""
    mine = own_first(agent.hits)
    theirs = own_first(without_repeats(agent.hits, shared.hits))
    prompt = Prompt(agent, shared)
    judged = {id(hit): judge(prompt, hit) for hit in mine + theirs}
    tier, _ = max(judged.values(), default=(SILENT, 0.0))
    floor = NEAR_BEST * max([weight for found, weight in judged.values() if found], default=0.0)

    def pick(hits: list[Hit]) -> list[Hit]:
        passed = [hit for hit in hits if judged[id(hit)][0] and judged[id(hit)][1] >= floor]
        if len(passed) > 1:
            passed = _newer_first(passed)
        return passed[: SHOWN[tier]]

    return tier, pick(mine), pick(theirs)


def _newer_first(hits: list[Hit]) -> list[Hit]:
    """Hits in order, but of two versions of a fact the newer one first, and alone if only it is verified. Versions hold the
    same terms of the prompt; to weigh all their terms, as recall does, would cost more than all the rest."""
    placed: list[Hit] = []
    outdated = []
    bags: dict[tuple[str, bool], set[str]] = {}
    for hit in hits:
        place = len(placed)
        for at, other in enumerate(placed):
            if hit.matched == other.matched and _alike(bags, hit.fact.text, other.fact.text):
                late = hit.fact.created_us > other.fact.created_us
                old, new = (other, hit) if late else (hit, other)
                if old.fact.confidence < CONFIDENT == new.fact.confidence:
                    outdated.append(old)
                if late and at < place:
                    place = at
        placed.insert(place, hit)
    return [hit for hit in placed if hit not in outdated]


def _alike(bags: dict[tuple[str, bool], set[str]], text: str, other: str) -> bool:
    """Whether two texts share `ALIKE` of the shorter one's words as written; beyond ASCII, where words may not be told by
    blanks, groups of three characters. `bags` keeps what was found for each text."""
    plain = text.isascii()
    for each in (text, other):
        if (each, plain) not in bags:
            bags[each, plain] = {*(each.split() if plain else map("".join, zip(each, each[1:], each[2:], strict=False)))}
    words, others = bags[text, plain], bags[other, plain]
    return len(words & others) >= ALIKE * min(len(words), len(others))


def own_first(hits: list[Hit]) -> list[Hit]:
    """Hits in order, except that among neighbours of equal keyword score those the user wrote come first."""
    ordered: list[Hit] = []
    start = 0
    while start < len(hits):
        end = start + 1
        while end < len(hits) and hits[end].keyword == hits[start].keyword:
            end += 1
        ordered += sorted(hits[start:end], key=lambda hit: hit.fact.source > CLI)
        start = end
    return ordered
