/** A move is refused, or was broken off. The message is for an operator. */
export class MoveError extends Error {}
