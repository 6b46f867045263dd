import { subjectOf, tokenScope } from '@relay-hub/contract/limit-scope';
import type { CountShare, LeaseConsumption, SettleItem } from './batch-items.ts';
import type { SubmittedTask } from './submitted-task.ts';

/**
 * Format of journal lines: arrays, because member names would double the time to write and parse them on the thread
 * that relays.
 */

/** A call about to be sent upstream. */
export interface Intent {
  requestId: string;
  userId: number;
  tokenId: number;
  reserved: number;
  priceVersion: number;
  model: string;
}

type IntentLine = [
  requestId: string,
  userId: number,
  tokenId: number,
  reserved: number,
  priceVersion: number,
  model: string,
];

/** Starts with a number; an intent starts with the request id. */
type SettlementLine = [
  seq: number,
  requestId: string,
  userId: number,
  tokenId: number,
  channelId: number,
  credits: number,
  userTake: number,
  userBack: number,
  token: [take: number, back: number] | null,
  now: number,
  failed: boolean,
  channelError: string,
  earlierErrors: [channelId: number, error: string][] | null,
  content: string,
  username: string,
  tokenName: string,
  model: string,
  promptTokens: number,
  completionTokens: number,
  cachedTokens: number,
  requestTimeMs: number,
  isStream: boolean,
  sourceIp: string,
  /** Only for calls that submit a task. */
  task?: SubmittedTask | null,
  /** Only for calls with limits on their path. Without a scope: the token's. */
  counts?: ShareLine[] | null,
  planOnly?: true,
];

type ShareLine = [name: string, starts: number, amount: number, scope?: string, limit?: number];

function shareLine({ scope, name, starts, amount, limit }: CountShare): ShareLine {
  if (limit !== undefined) return [name, starts, amount, scope, limit];
  return subjectOf(scope) === 'token' ? [name, starts, amount] : [name, starts, amount, scope];
}

const shareIn =
  (tokenId: number) =>
  ([name, starts, amount, scope = tokenScope(tokenId), limit]: ShareLine): CountShare =>
    limit === undefined ? { scope, name, starts, amount } : { scope, name, starts, amount, limit };

export const intentText = ({ requestId, userId, tokenId, reserved, priceVersion, model }: Intent): string =>
  JSON.stringify([requestId, userId, tokenId, reserved, priceVersion, model] satisfies IntentLine);

/** The metadata is JSON already: it follows a tab, which JSON never contains, and is not escaped again. */
export function settlementText(item: SettleItem): string {
  const { user, token, log } = item;
  const line: SettlementLine = [
    item.seq,
    item.requestId,
    item.userId,
    item.tokenId,
    item.channelId,
    item.credits,
    user.take,
    user.back,
    token && [token.take, token.back],
    item.now,
    item.failed,
    item.channelError,
    item.earlierErrors ?? null,
    log.content,
    log.username,
    log.tokenName,
    log.model,
    log.promptTokens,
    log.completionTokens,
    log.cachedTokens,
    log.requestTimeMs,
    log.isStream,
    log.sourceIp,
  ];
  if (item.task || item.counts) line.push(item.task ?? null);
  if (item.counts) line.push(item.counts.map(shareLine));
  if (item.counts && item.planOnly) line.push(true);
  return `${JSON.stringify(line)}\t${log.metadata}`;
}

/** Whether a line is a settlement, by its first two characters. A brace: the format of an earlier version. */
export const tellsSettlement = (first: number | undefined, second: number | undefined): boolean =>
  first === BRACE || (first === BRACKET && second !== QUOTE);

const BRACE = 0x7b;
const BRACKET = 0x5b;
const QUOTE = 0x22;

/** Parses the parts of a settlement line before and after the tab. Throws if it is incomplete. */
export function settlementIn(told: string, metadata: string): SettleItem {
  const read = JSON.parse(told) as SettlementLine | SettleItem; // only this module writes the files
  if (!Array.isArray(read)) {
    read.log.metadata = metadata;
    return read;
  }
  const token = read[8];
  const item: SettleItem = {
    kind: 'settle',
    seq: read[0],
    requestId: read[1],
    userId: read[2],
    tokenId: read[3],
    channelId: read[4],
    credits: read[5],
    user: { take: read[6], back: read[7] },
    token: token && ({ take: token[0], back: token[1] } satisfies LeaseConsumption),
    now: read[9],
    failed: read[10],
    channelError: read[11],
    log: {
      content: read[13],
      username: read[14],
      tokenName: read[15],
      model: read[16],
      promptTokens: read[17],
      completionTokens: read[18],
      cachedTokens: read[19],
      requestTimeMs: read[20],
      isStream: read[21],
      sourceIp: read[22],
      metadata,
    },
  };
  if (read[12]) item.earlierErrors = read[12];
  if (read[23]) item.task = read[23];
  if (read[24]) item.counts = read[24].map(shareIn(item.tokenId));
  if (read[25]) item.planOnly = true;
  return item;
}

/** Parses a whole line; undefined if it was truncated. */
export function lineIn(text: string): Intent | SettleItem | undefined {
  try {
    if (!tellsSettlement(text.charCodeAt(0), text.charCodeAt(1))) {
      const [requestId, userId, tokenId, reserved, priceVersion, model] = JSON.parse(text) as IntentLine;
      return { requestId, userId, tokenId, reserved, priceVersion, model };
    }
    const tab = text.indexOf('\t');
    const metadata = text.slice(tab + 1);
    JSON.parse(metadata); // the metadata can be truncated too
    return settlementIn(text.slice(0, tab), metadata);
  } catch {
    return undefined;
  }
}
