/**
 * The notes that the page lists: those of a concept, and those that both ends of an edge share.
 *
 * @typedef {object} Note
 * @property {string} path
 * @property {string} day       of its last change, ISO 8601
 * @property {number[]} tags    places in the page's list of tags
 * @property {Concept[]} concepts
 * @property {boolean} hidden   whether a filter leaves it out
 */

/** Give each concept its notes, the newest first, and return all of them. */
function readNotes(rows, concepts) {
  for (const concept of concepts) concept.listed = [];
  return rows.map(([path, day, tags, places]) => {
    const note = { path, day, tags, concepts: places.map((place) => concepts[place]), hidden: false };
    for (const concept of note.concepts) concept.listed.push(note);
    return note;
  });
}

/** The notes that both ends of an edge are in, the newest first; found once. */
function notesOfEdge(edge) {
  if (!edge.listed) {
    const [few, many] = [edge.source, edge.target].sort((a, b) => a.listed.length - b.listed.length);
    edge.listed = few.listed.filter((note) => note.concepts.includes(many));
  }
  return edge.listed;
}

function folderOf(note) {
  return note.path.slice(0, Math.max(0, note.path.lastIndexOf("/")));
}

function stemOf(note) {
  return note.path.slice(note.path.lastIndexOf("/") + 1).replace(/\.md$/i, "") || note.path;
}

/** The address that opens a note in Obsidian; null for a path that no link can hold. */
function addressOf(vault, file) {
  if (file === null || /\p{Surrogate}/u.test(file)) return null;
  return `obsidian://open?vault=${encodeURIComponent(vault)}&file=${encodeURIComponent(file)}`;
}
