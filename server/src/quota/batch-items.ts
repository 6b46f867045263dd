/**
 * What the book asks of the database. A balance is in two parts: `quota` can be spent, `held` is leased to nodes. A
 * node admits calls against its lease without asking, so the sum of all leases of a user is his `held`, and
 * `quota` + `held` is the sum of his ledger's entries.
 */

/** Asks for credits. All that is needed is given or nothing; what is wanted beyond is given where there is plenty. */
export interface GrantItem {
  kind: 'grant';
  userId: number;
  /** 0: the token has no quota of its own. */
  tokenId: number;
  user: Ask;
  token: Ask;
}

export interface Ask {
  need: number;
  want: number;
}

/** Gives leased credits back. */
export interface ReturnItem {
  kind: 'return';
  userId: number;
  tokenId: number;
  user: number;
  token: number;
}

/** Charges a call that has ended, and writes its row. */
export interface SettleItem {
  kind: 'settle';
  /** Its place in the node's journal, or `RELEASED`. */
  seq: number;
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** What the call costs. */
  credits: number;
  /** How much of that the leases cover, and what of them goes back. */
  user: Cover;
  /** Null: the token has no quota of its own. */
  token: Cover | null;
  now: number;
  failed: boolean;
  /** What the upstream complained of; kept on the channel. Empty: nothing. */
  channelError: string;
  /** The same of channels that were asked before it. */
  earlierErrors?: [channelId: number, error: string][] | undefined;
  log: CallLog;
}

/** Instead of a place in the journal: a call that its process left open, which is closed with the journal. */
export const RELEASED = 0;

export interface Cover {
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
  /** Settlements that stand in the node's journal. */
  lines: readonly FileRange[];
  /** The node has died: its open calls are released, once, and its journal is closed. */
  closes?: boolean;
}

/**
 * A part of a journal file, from one line's start to another one's end. The file is named by its descriptor, which
 * holds in every thread and goes on when another process has taken the file away.
 */
export interface FileRange {
  fd: number;
  from: number;
  to: number;
}

/** What a grant came to: credits given, or whose do not reach. */
export type Granted = Given | Refused;

export interface Given {
  user: number;
  token: number;
}

export interface Refused {
  refused: 'user_quota' | 'token_quota';
  /** Credits that this and other nodes have leased and could give back. */
  leased: number;
}

export interface BatchResult {
  /** One for each grant, in order. */
  grants: Granted[];
  /** What the node has leased now, of all accounts that the batch touched: user, token (0: the user's own), credits. */
  leases: [userId: number, tokenId: number, credits: number][];
}

export type BatchRunner = (batch: Batch) => Promise<BatchResult>;
