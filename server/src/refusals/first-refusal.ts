/** Ids of refused calls begin here, so that a row of the log or of the refusals is known by its id alone. */
export const FIRST_REFUSAL = 2 ** 52;
