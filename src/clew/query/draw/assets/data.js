/**
 * What the page was given: the JSON in it, as concepts that know their edges.
 *
 * @typedef {object} Community
 * @property {string} label
 * @property {number} slot      place in the palette; -1 is grey
 * @property {Concept[]} members  the one in most notes first
 *
 * @typedef {object} Concept
 * @property {number} index
 * @property {string} name
 * @property {string} shown     the display name
 * @property {?Community} community
 * @property {number} notes
 * @property {?string} file     path of its note in the vault
 * @property {Edge[]} edges     strongest first
 * @property {Note[]} listed    the notes it is in that the page lists, the newest first
 * @property {boolean} hidden   whether a filter leaves it out
 * @property {number} radius    in units of the map
 * @property {number} x
 * @property {number} y
 *
 * @typedef {object} Edge
 * @property {Concept} source
 * @property {Concept} target
 * @property {number} strength  0..1, of the strongest in the page
 * @property {number} freshness 0..1, what decay left of it
 * @property {number} rank      0 is the strongest
 * @property {number} count     of the notes that both are in
 * @property {boolean} hidden   whether a filter leaves it out
 */

const HUES = 8;
const RADIUS_MAX = 26;

function readGraph() {
  const data = JSON.parse(document.getElementById("graph").textContent);
  const communities = data.communities.map((label) => ({ label, slot: 0, members: [] }));
  const concepts = data.nodes.map((row, index) => conceptOf(row, index, communities));
  const edges = edgesOf(data.edges, concepts);
  for (const { members } of communities) members.sort(byNotes);
  const present = communities.filter(({ members }) => members.length);
  present.sort((a, b) => b.members.length - a.members.length);
  const rest = concepts.filter((concept) => !concept.community).sort(byNotes);
  const alone = { label: present.length ? "" : "All concepts", slot: -1, members: rest };
  const focus = data.focus === null ? null : concepts[data.focus];
  const { title, vault, tags, totals } = data;
  const notes = readNotes(data.notes, concepts);
  return { title, vault, concepts, edges, communities: present, alone, focus, notes, tags, totals };
}

function conceptOf([name, shown, place, notes, file], index, communities) {
  const community = place === null ? null : communities[place];
  const radius = Math.min(RADIUS_MAX, 3 + 1.9 * Math.sqrt(notes));
  const concept = { index, name, shown: shown ?? name, community, notes, file, radius, edges: [], hidden: false };
  community?.members.push(concept);
  return concept;
}

/** Rows of two places, a count and a score, the strongest first. */
function edgesOf(rows, concepts) {
  const most = rows.length ? rows[0][3] || 1 : 1;
  return rows.map(([a, b, count, score], rank) => {
    const edge = {
      source: concepts[a],
      target: concepts[b],
      strength: (score / most) ** 0.7,
      freshness: Math.min(1, count ? score / count : 0),
      rank,
      count,
      hidden: false,
    };
    edge.source.edges.push(edge);
    edge.target.edges.push(edge);
    return edge;
  });
}

function byNotes(a, b) {
  return b.notes - a.notes || b.edges.length - a.edges.length || a.index - b.index;
}

function otherEnd(edge, concept) {
  return edge.source === concept ? edge.target : edge.source;
}

function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
