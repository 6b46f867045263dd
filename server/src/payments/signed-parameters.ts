import { NoticeRefused, type RawNotice } from './gateway.ts';

/** Notifications have about 30 parameters and 4 KiB. */
const LARGEST_NOTICE = 64 * 1024;
const MOST_PARAMETERS = 100;

/** Parameters by name: a map, because names such as `__proto__` come from outside. */
export type Parameters = ReadonlyMap<string, string>;

/** The text that is signed: `name=value` of all non-empty parameters except the signature's, sorted, joined by `&`. */
export function signedText(parameters: Iterable<readonly [string, string]>, except: readonly string[]): string {
  return [...parameters]
    .filter(([name, value]) => value !== '' && !except.includes(name))
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * Reads the parameters of a notification from its query and its form body. Throws `NoticeRefused` if a name occurs
 * twice: readers that take different values would verify one and use the other.
 */
export function noticeParameters(notice: RawNotice): Parameters {
  if (notice.body.length > LARGEST_NOTICE || notice.query.length > LARGEST_NOTICE) throw unreadable('it is too large');
  const type = notice.headers['content-type'] ?? '';
  if (notice.body.length > 0 && type !== '' && !/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw unreadable('its body is not a form');
  }
  const parameters = new Map<string, string>();
  for (const text of [notice.query, formText(notice.body)]) {
    for (const [name, value] of new URLSearchParams(text)) {
      if (parameters.has(name)) throw unreadable('a parameter occurs twice');
      if (parameters.size === MOST_PARAMETERS) throw unreadable('it has too many parameters');
      parameters.set(name, value);
    }
  }
  if (parameters.size === 0) throw unreadable('it is empty');
  return parameters;
}

function formText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw unreadable('its body is not text');
  }
}

const unreadable = (reason: string): NoticeRefused =>
  new NoticeRefused('signature', `the notification cannot be read: ${reason}`);
