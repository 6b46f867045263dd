/** Numbers on the wire, names in code. */

export const role = { guest: 0, user: 1, admin: 10, root: 100 } as const;

export const userStatus = { enabled: 1, disabled: 2 } as const;

/** `testDisabled`: switched off by the server, after failures or a test above the longest response time. */
export const channelStatus = { unknown: 0, enabled: 1, disabled: 2, testDisabled: 3 } as const;

export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** `expired` is what an enabled code is worth after its time: a filter and a word, never a stored status. */
export const redemptionStatus = { enabled: 1, disabled: 2, used: 3, expired: 4 } as const;

/** `refused`: calls that were refused before any channel was asked; lists leave them out unless asked for. */
export const logType = { all: 0, topup: 1, consume: 2, manage: 3, system: 4, refused: 5 } as const;

/** A user whose role number is 10 or higher counts as an administrator. */
export const isAdmin = (value: number): boolean => value >= role.admin;

/** Ids up to here belong to the makers that the product knows; they equal the numbers of channel types. */
export const LAST_RESERVED_OWNER = 1000;
