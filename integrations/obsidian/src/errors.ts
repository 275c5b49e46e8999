/** What can go wrong between the plugin and the daemon. */

/** No daemon of this user answers for the vault. */
export class NoDaemon extends Error {}

/** Something listens at the socket and sends what is no reply of clew. */
export class BadReply extends Error {}

/** The daemon answered with an error; `code` is its name for this kind of error. */
export class Refusal extends Error {
	constructor(
		message: string,
		readonly code: string,
		readonly hint: string,
	) {
		super(message || "the daemon refused the request");
	}
}
