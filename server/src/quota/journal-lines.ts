import type { Cover, SettleItem } from './batch-items.ts';

/**
 * What a line of the journal says. Lists of values: names would take as long to write and to read as what they name,
 * for every call, on the thread that relays.
 */

/** A call that is about to be sent. */
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

/** Begins with a number, where a call that begins has its id. */
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
];

export const intentText = ({ requestId, userId, tokenId, reserved, priceVersion, model }: Intent): string =>
  JSON.stringify([requestId, userId, tokenId, reserved, priceVersion, model] satisfies IntentLine);

/** A row's explanation is JSON already: it follows behind a tab, which JSON never holds, and is not escaped again. */
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
  return `${JSON.stringify(line)}\t${log.metadata}`;
}

/** Whether a line, by its first two characters, tells how a call ended. A brace: one of an earlier version of this. */
export const tellsSettlement = (first: number | undefined, second: number | undefined): boolean =>
  first === BRACE || (first === BRACKET && second !== QUOTE);

const BRACE = 0x7b;
const BRACKET = 0x5b;
const QUOTE = 0x22;

/** What stands before the tab of a settlement's line, and behind it. Throws for what was not written whole. */
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
    token: token && ({ take: token[0], back: token[1] } satisfies Cover),
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
  return item;
}

/** What a whole line says; undefined for one that was cut. */
export function lineIn(text: string): Intent | SettleItem | undefined {
  try {
    if (!tellsSettlement(text.charCodeAt(0), text.charCodeAt(1))) {
      const [requestId, userId, tokenId, reserved, priceVersion, model] = JSON.parse(text) as IntentLine;
      return { requestId, userId, tokenId, reserved, priceVersion, model };
    }
    const tab = text.indexOf('\t');
    const metadata = text.slice(tab + 1);
    JSON.parse(metadata); // a line can have been cut here, too
    return settlementIn(text.slice(0, tab), metadata);
  } catch {
    return undefined;
  }
}
