"""Frequent function words of each language whose stems are known: text in it has many of them.

Only words of the Latin script: other scripts tell the stemmer by themselves. Words are as the index
has them, without apostrophes. A word may be listed for several languages.
"""

FUNCTION_WORDS = {
    "ca": "això als amb aquest aquesta dels des després el els en ens eren hi ho i la les molt"
    " més no només o on per perquè però quan que qui què se sense seu seva si són també una"
    " va van és",
    "cs": "a ale ani až by byl byla bylo být co do jak jako je jeho její jen jsem jsou k kde kdo"
    " když která které který mezi na nebo než o od po pro proto při s se si tak také to v ve"
    " že",
    "da": "af at blev da de den der det dig efter eller en er et for fra ham han har havde hun"
    " hvad hvor hvordan hvornår ikke jeg kan med meget mig mod nogle og også om op på sig"
    " skal som til ud under var ved vi være",
    "de": "aber als am auch auf aus bei bin bis da damit das dass dem den der des die dies diese"
    " dieser doch durch ein eine einem einen einer er es für hat hatte ich ihr im in ist"
    " kann kein man mehr mit nach nicht noch nur ob oder sein sich sie sind so um und uns"
    " unter vom von vor wann war waren warum was welche welcher welches wenn wer werden wie"
    " wieder wir wird wo wurde wurden zu zum zur zwischen über",
    "en": "a about after all also an and any are as at be been but by can could did do does for"
    " from had has have he her his how i if in into is it its may more most my no not of on"
    " or other our she should so some such than that the their them then there these they"
    " this to under up was we were what when where which who whose why will with would you"
    " your",
    "eo": "al ankaŭ antaŭ aŭ da de do dum el en estas esti estis havas ili kaj ke kia kie kiel"
    " kiu kiuj kun la li mi ne ni nur oni per plej pli por post pri se sed sen sur tio tiu"
    " tiuj tra unu vi ĉar ĉe ĉi ĉu ĝi ĝis ŝi",
    "es": "al años como con contra cuando cuál cuándo cuántos de del desde donde dónde el ella"
    " ellos en entre era es esta este estos está fue fueron ha había hasta la las le lo los"
    " muy más no nos o para pero por porque que quien quién qué se ser si sin sobre son su"
    " sus también un una y ya",
    "et": "aga ega ehk ei enne et ja järgi ka kas kelle kes kui kuid kuidas kus ma me mida miks"
    " millal mille milline mis nad need ning oli olid olla oma on pärast seda see selle siis"
    " ta tema või üle",
    "eu": "ala arte baina bat bere bezala da dago dira ditu du dute edo egin ere eta ez ezin gabe"
    " gehiago hau hori horiek izan izango noiz nola non nor oso zein zen zer zeren ziren"
    " zuen zuten",
    "fi": "ei eivät en että he hyvin hän hänen ja jo joka jos jotka kanssa kuin kuinka kun me"
    " mikä missä mitä mukaan mutta myös ne niiden niin nyt nämä oli olivat olla on ovat se"
    " sekä sen siitä sitä tai tämä vain voi",
    "fr": "a au aux avec ce ces cette comme comment dans de des dont du elle elles en entre est"
    " et eu fait fut il ils je la le les leur leurs mais ne nous ont ou où par pas plus pour"
    " pourquoi quand que quel quelle quels qui quoi sa sans se ses son sont sous sur un une"
    " vous être",
    "ga": "ach ag agus an ar atá bhí cad chuig cá cé den do don faoi gan go i ina is le leis mar"
    " na nach ná nó roimh sa san seo siad sin sé sí tá um ó",
    "hu": "a alatt az azonban azt be csak de egy el ez ezt ha hanem hogy hogyan hol is kell ki"
    " között lesz maga meg mely mi mikor mint mit már még nagyon nem néhány pedig után vagy"
    " van volt voltak általa és ő",
    "id": "ada adalah agar akan antara apa atau bagaimana bahwa belum bisa dan dapat dari dengan"
    " di dia hanya harus ia ini itu juga kami karena ke kepada kita lebih mereka oleh pada"
    " para saat saya sebagai sebuah secara seperti siapa sudah telah tetapi tidak untuk yang",
    "it": "a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e"
    " era essere fra furono gli ha hanno i il in io la le lo ma nel nella noi non o per"
    " perché più quale quali quando quanti questa questo se si sono stato su sua sul suo tra"
    " un una uno è",
    "lt": "ant apie ar arba bei bet bus buvo būti dar dėl iki ir iš jau jei jie jis jo jos ją kad"
    " kai kaip kas kiek kodėl kur kuri kurie kuris kurių ką nei nes nuo o pagal per po prie"
    " su ta tai taip tik už yra",
    "nl": "aan als bij dan dat de deze die dit doch door een en er haar had hebben heeft het hij"
    " hoe hun ik in is je kan maar meer met mij naar niet nog nu of om onder onze ook op"
    " over te tegen tot uit van veel voor waar waarom wanneer waren was wat we wel welke"
    " werd werden wie wij worden wordt ze zich zij zijn zonder zou",
    "no": "at av ble blir da de den denne der det dette du eller en er et etter for fra ha hadde"
    " ham han har hun hva hvem hvilken hvor hvordan hvorfor ikke inn jeg kan med meg mellom"
    " men mot mye noen nå og også om opp på seg skal som så til ut var ved vi være",
    "pl": "aby ale ani bardzo bez być był była było były co czy dla do gdy gdzie go i ich jak"
    " jako je jego jej jest jeszcze już każdy kiedy kto która które który lub ma może można"
    " na nad nie niż o od oraz po pod przed przez przy się są ta tak także tego ten to tylko"
    " tym w we z za ze że",
    "pt": "a ao aos as até com como da das de depois do dos e ela ele em entre era essa este eu"
    " foi foram há isso já mais mas na nas no nos não o onde os ou para pela pelo por porque"
    " quais qual quando que quem se sem ser seu seus sua são também te um uma você à é",
    "ro": "a această acest acesta al am ar are au ca care ce cel cele ci cine cu cum când că dacă"
    " dar de despre din după ei el ele era este eu fi fost fără la le lor mai nu o pe pentru"
    " prin sa sau se spre sunt să un unde unei unui va în într între și",
    "sv": "att av blev bli de dem den denna det detta du där efter eller en ett från för ha hade"
    " han har hon hur här i icke in inte jag kan man med mellan men mig mot mycket ni nu när"
    " någon och också om på sig ska skall som så till under upp ut vad var varför vem vi vid"
    " vilken är över",
    "tr": "ama ancak ben bir biz bu bunu da daha de değil diye en gibi göre hem her ile ise için"
    " kadar kendi ki kim mi mı nasıl ne neden nerede o olan olarak oldu olduğu sonra"
    " tarafından var ve veya ya çok şey şu",
}
LANGUAGES_BY_WORD: dict[str, tuple[str, ...]] = {}
for _code, _words in FUNCTION_WORDS.items():
    for _word in dict.fromkeys(_words.split()):
        LANGUAGES_BY_WORD[_word] = (*LANGUAGES_BY_WORD.get(_word, ()), _code)
