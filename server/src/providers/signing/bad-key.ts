/** A channel's key has the wrong format. The message does not contain the key. */
export class BadKey extends Error {}
