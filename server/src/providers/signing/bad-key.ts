/** A channel's key has not the form that its provider wants. The message does not hold the key. */
export class BadKey extends Error {}
