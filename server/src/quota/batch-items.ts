import type { SubmittedTask } from './submitted-task.ts';

/**
 * Operations of the book on the database. A balance has two parts: `quota` can be spent, `held` is leased to nodes. A
 * node admits calls against its lease without a query, so a user's `held` is the sum of all leases, and `quota` +
 * `held` is the sum of the user's ledger entries.
 */

/** Requests credits: all of `need` or nothing; more, up to `want`, if the balance is large. */
export interface GrantItem {
  kind: 'grant';
  userId: number;
  /** 0: the token has no separate quota. */
  tokenId: number;
  user: GrantAmount;
  token: GrantAmount;
}

export interface GrantAmount {
  need: number;
  want: number;
}

/** Returns leased credits. */
export interface ReturnItem {
  kind: 'return';
  userId: number;
  tokenId: number;
  user: number;
  token: number;
}

/** Reserves room in the limits on a call's path: in all of them or in none. */
export interface CountItem {
  kind: 'count';
  userId: number;
  /** Locked as well, because a token can change its account; 0: no limit of a token is concerned. */
  tokenId: number;
  now: number;
  amounts: CountAmount[];
  plans?: PlanNeed | undefined;
}

/** Credits that plans may pay, and the limits of the plans' periods, in the order in which they pay. */
export interface PlanNeed {
  credits: number;
  periods: CountAmount[][];
  /** Whether the balance pays what the plans do not. */
  beyond: boolean;
}

/** One limit, and what a call needs of it. `starts` and `ends`: the period that begins now if none is running. */
export interface CountAmount {
  /** The subject of the limit, see `limit-scope.ts`. */
  scope: string;
  /** Name of the cap, such as `credits:day`. */
  name: string;
  limit: number;
  need: number;
  starts: number;
  ends: number;
  /** No period follows. */
  isLast?: true | undefined;
}

/** Reservation of a call within a limit, in the period that began at `starts`. */
export interface CountShare {
  scope: string;
  name: string;
  starts: number;
  amount: number;
  /** Of a plan: its limit, which bounds what the plan pays when the call is charged. */
  limit?: number;
}

/** Returns what calls have reserved and not used. `whole`: `shares` is everything that the node still holds. */
export interface UncountItem {
  kind: 'uncount';
  userId: number;
  tokenId: number;
  shares: CountShare[];
  whole?: true;
}

/** Result of a `CountItem`: shares of each limit, or the limit that has no room. */
export type Counted = CountShare[] | CountRefusal;

/** A limit without room for a call. */
export interface CountRefusal {
  scope: string;
  name: string;
  limit: number;
  need: number;
  used: number;
  /** Reserved by open calls. */
  held: number;
  ends: number;
  isLast?: true;
}

/** Charges a finished call and writes its log row. */
export interface SettleItem {
  kind: 'settle';
  /** Sequence number in the node's journal, or `RELEASED`. */
  seq: number;
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** Cost of the call. */
  credits: number;
  /** How much the leases cover, and how much of them is returned. */
  user: LeaseConsumption;
  /** Null: the token has no separate quota. */
  token: LeaseConsumption | null;
  now: number;
  failed: boolean;
  /** The upstream's error, kept on the channel. Empty: none. */
  channelError: string;
  /** Errors of channels tried earlier. */
  earlierErrors?: [channelId: number, error: string][] | undefined;
  log: CallLog;
  /** The task that the call submitted; left out: none. */
  task?: SubmittedTask | undefined;
  /** The call's reservations within the limits on its path; left out: none. */
  counts?: readonly CountShare[] | undefined;
  /** The balance pays nothing beyond the plans. */
  planOnly?: true | undefined;
}

/** Sequence number of a call that a dead process left open; it is released when the journal is closed. */
export const RELEASED = 0;

export interface LeaseConsumption {
  take: number;
  back: number;
}

export interface CallLog {
  content: string;
  username: string;
  tokenName: string;
  model: string;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  requestTimeMs: number;
  isStream: boolean;
  sourceIp: string;
  /** JSON text of `LogMetadata`. */
  metadata: string;
}

export type BatchItem = GrantItem | ReturnItem | CountItem | UncountItem | SettleItem;

/** Items of one node, applied in one transaction. */
export interface Batch {
  node: string;
  items: readonly BatchItem[];
  /** Settlements in the node's journal. */
  lines: readonly FileRange[];
  /** The node has died: its open calls are released once, and its journal is closed. */
  closes?: boolean;
}

/**
 * Part of a journal file, from the start of one line to the end of another. A file descriptor is valid in every thread,
 * also after another process has removed the file.
 */
export interface FileRange {
  fd: number;
  from: number;
  to: number;
}

/** Result of a grant: the credits, or which balance is insufficient. */
export type Granted = GrantedCredits | GrantRefusal;

export interface GrantedCredits {
  user: number;
  token: number;
  /** What is left of the balance: the smaller one if the token has its own quota. */
  left: number;
}

export interface GrantRefusal {
  refused: 'user_quota' | 'token_quota';
  /** Credits that are leased to nodes and could be returned. */
  leased: number;
}

export interface BatchResult {
  /** One per grant, in order. */
  grants: Granted[];
  /** One per `CountItem`, in order. */
  counts: Counted[];
  /** This node's leases of all accounts of the batch; token 0 is the user's own lease. */
  leases: [userId: number, tokenId: number, credits: number][];
}

export type BatchRunner = (batch: Batch) => Promise<BatchResult>;
