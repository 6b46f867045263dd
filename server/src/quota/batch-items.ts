import type { SubmittedTask } from './submitted-task.ts';

/**
 * Operations of the book on the database. A balance has two parts: `quota` can be spent, `held` is leased to nodes. A
 * node admits calls against its lease without a query, so a user's `held` is the sum of all leases, and `quota` +
 * `held` is the sum of the user's ledger entries.
 */

/** Requests credits, and room in limits: all of `need` or nothing; more, up to `want`, where much is left. */
export interface GrantItem {
  kind: 'grant';
  userId: number;
  /** 0: the token has no separate quota, and no limit of it is concerned. */
  tokenId: number;
  /** `need`: with the part that plans pay. */
  user: GrantAmount;
  token: GrantAmount;
  limits?: CountNeed | undefined;
}

export interface GrantAmount {
  need: number;
  want: number;
}

/** Returns leased credits, and room in limits. */
export interface ReturnItem {
  kind: 'return';
  userId: number;
  tokenId: number;
  user: number;
  token: number;
  limits?: ReturnedShare[] | undefined;
}

/** `kept`: what open calls and settlements need of the lease, when others ask for the rest; left out: they do not. */
export interface ReturnedShare extends CountShare {
  kept?: number;
}

/** Need of a call within the limits on its path, and plans that may pay. */
export interface CountNeed {
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

/**
 * One limit, and what a call needs of it; the book adds how much more it wants. `starts` and `ends`: the period that
 * begins now if none is running.
 */
export interface CountAmount {
  /** The subject of the limit, see `limit-scope.ts`. */
  scope: string;
  /** Name of the cap, such as `credits:day`. */
  name: string;
  limit: number;
  need: number;
  want?: number;
  starts: number;
  ends: number;
  /** No period follows. */
  isLast?: true | undefined;
}

/**
 * Part of a limit, in the period that began at `starts`: reserved by a call, or in a settlement what the node's lease
 * loses.
 */
export interface CountShare {
  scope: string;
  name: string;
  starts: number;
  amount: number;
  /** Of a plan: its limit, which bounds what the plan pays when the call is charged. */
  limit?: number;
}

/** `amount` is reserved for the call; `given` is what the node's lease has gained. */
export interface GrantedShare extends CountShare {
  given: number;
  ends: number;
}

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

export type BatchItem = GrantItem | ReturnItem | SettleItem;

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

/** Result of a grant: the credits, or which balance or limit is insufficient. */
export type Granted = GrantedCredits | GrantRefusal;

export interface GrantedCredits {
  user: number;
  token: number;
  /** What is left of the balance: the smaller one if the token has its own quota. */
  left: number;
  /** Of each limit, in the order of the request. */
  limits?: GrantedShare[];
}

export interface GrantRefusal {
  refused: 'user_quota' | 'token_quota' | CountRefusal;
  /** Credits or room leased to nodes that could be returned; of a limit, if a node has leased ahead of its calls. */
  leased: number;
}

export interface BatchResult {
  /** One per grant, in order. */
  grants: Granted[];
  /** This node's leases of all accounts of the batch; token 0 is the user's own lease. */
  leases: [userId: number, tokenId: number, credits: number][];
  /** This node's leases of all limits of the batch. */
  limits: LimitLease[];
}

/** A node's lease on a limit, in one period. */
export interface LimitLease {
  userId: number;
  scope: string;
  name: string;
  starts: number;
  ends: number;
  amount: number;
}

export type BatchRunner = (batch: Batch) => Promise<BatchResult>;
