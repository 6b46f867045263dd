import { createHmac } from 'node:crypto';
import { EVENT_VERSION, type IncidentSeverity, type WayConfig, type WayKind } from '@relay-hub/contract';
import * as z from 'zod/mini';

/** Content of a message, for all services. */
export interface WayMessage {
  /** The same at each attempt; receivers recognise repetitions by it. */
  id: string;
  type: string;
  /** Of the incident or other object, the same for its opening and its end. */
  object: string;
  severity: IncidentSeverity;
  isOver: boolean;
  title: string;
  /** Further lines. */
  lines: readonly string[];
  /** Address of the console's page; empty: the site has none. */
  link: string;
  /** The event itself, for programs. */
  data: unknown;
  /** Moments of the event and of this attempt, Unix seconds. */
  time: number;
  now: number;
  /** The service's name of the message that this one answers, or its object if that was another; empty: none. */
  replyTo: string;
}

export interface WayRequest {
  address: string;
  headers?: Record<string, string>;
  body: string;
}

export interface WayReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** `never`: repeating is useless. `again`: after `afterS` seconds, if the service said so. */
export type WayOutcome =
  | { result: 'ok'; ref?: string; note?: string }
  | { result: 'again'; afterS?: number }
  | { result: 'never' };

/** A service: how a message is sent, and what its answer means. A status of 200 alone proves little. */
interface Service {
  request(config: WayConfig, message: WayMessage): WayRequest;
  read(reply: WayReply): WayOutcome;
}

const ok: WayOutcome = { result: 'ok' };
const never: WayOutcome = { result: 'never' };
const again: WayOutcome = { result: 'again' };

const retryAfter = z.object({
  retry_after: z.optional(z.number()),
  parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
});

/** Statuses that every service means alike. */
function byStatus({ status, headers, body }: WayReply): WayOutcome {
  if (status === 429 || status === 408 || status >= 500) {
    const asked = Number(headers['retry-after']) || waitIn(body);
    return asked > 0 ? { result: 'again', afterS: Math.min(Math.ceil(asked), 7200) } : again;
  }
  return never;
}

function waitIn(body: string): number {
  const found = retryAfter.safeParse(jsonIn(body));
  const waitS = found.data?.retry_after ?? found.data?.parameters?.retry_after ?? 0;
  // One service sends milliseconds on some paths.
  return waitS > 1000 ? waitS / 1000 : waitS;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is no JSON has none of the fields.
    return undefined;
  }
}

const codes = z.object({
  code: z.optional(z.number()),
  errcode: z.optional(z.number()),
  ok: z.optional(z.boolean()),
  id: z.optional(z.string()),
  status: z.optional(z.string()),
  result: z.optional(z.object({ message_id: z.optional(z.number()) })),
});

const codesIn = ({ body }: WayReply) => codes.safeParse(jsonIn(body)).data ?? {};

/** Services that answer 200 with a code in the body. */
function byCode(reply: WayReply, name: 'code' | 'errcode', fine: number, busy: readonly number[]): WayOutcome {
  if (reply.status !== 200) return byStatus(reply);
  const code = codesIn(reply)[name];
  if (code === fine) return ok;
  return code === undefined || busy.includes(code) ? again : never;
}

/** Of characters, at a border between them. */
const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** Of bytes, at a border between characters. */
export function withinBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let size = 3;
  let kept = '';
  for (const sign of text) {
    size += Buffer.byteLength(sign);
    if (size > most) break;
    kept += sign;
  }
  return `${kept}…`;
}

const plain = ({ title, lines, link }: WayMessage): string =>
  [title, ...lines, link].filter((line) => line !== '').join('\n');

const json = (address: string, body: object, headers: Record<string, string> = {}): WayRequest => ({
  address,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const withQuery = (address: string, query: Record<string, string>): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
};

/** Without these escapes a name like `<!channel>` would ping everyone. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const hmac = (key: string | Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64');

/** Headers of Standard Webhooks; the key is the decoded part of the secret after `whsec_`. */
export function signedHeaders(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
  };
}

/** Feishu signs an empty text with time and secret as key. */
export const feishuSign = (secret: string, seconds: number): string => hmac(`${seconds}\n${secret}`, '');

/** DingTalk signs time and secret with the secret as key. */
export const dingtalkSign = (secret: string, ms: number): string => hmac(secret, `${ms}\n${secret}`);

const loudness = { info: 2, warning: 3, error: 4, critical: 5 } as const;
const barkLevels = { info: 'passive', warning: 'active', error: 'timeSensitive', critical: 'critical' } as const;

export const services: Record<Exclude<WayKind, 'mail'>, Service> = {
  webhook: {
    request({ address, secret }, { id, type, data, time, now }) {
      const timestamp = new Date(time * 1000).toISOString();
      const body = JSON.stringify({ type, version: EVENT_VERSION, timestamp, data });
      return {
        address,
        headers: { 'content-type': 'application/json', ...signedHeaders(secret, id, now, body) },
        body,
      };
    },
    read(reply) {
      if (reply.status >= 200 && reply.status < 300) return ok;
      if (reply.status === 410) return never;
      const known = byStatus(reply);
      return known.result === 'never' ? again : known;
    },
  },
  telegram: {
    request: ({ address, token, target }, message) =>
      json(`${address || 'https://api.telegram.org'}/bot${token}/sendMessage`, {
        chat_id: target,
        text: shortened(plain(message), 4096),
        ...(message.replyTo !== '' && {
          reply_parameters: { message_id: Number(message.replyTo), allow_sending_without_reply: true },
        }),
      }),
    read(reply) {
      const { ok: isOk, result } = codesIn(reply);
      return isOk === true ? { result: 'ok', ref: String(result?.message_id ?? '') } : byStatus(reply);
    },
  },
  slack: {
    request: ({ address }, message) =>
      json(address, {
        text: slackText(shortened(message.title, 2000)),
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: shortened(slackText(plain(message)), 2900) } }],
      }),
    read: (reply) =>
      reply.status === 200 && reply.body.trim() === 'ok' ? ok : reply.status === 200 ? never : byStatus(reply),
  },
  discord: {
    request: ({ address }, message) =>
      // Without `wait` a message that was not stored is answered like one that was.
      json(withQuery(address, { wait: 'true' }), {
        content: shortened(plain(message), 2000),
        allowed_mentions: { parse: [] },
      }),
    read(reply) {
      const { id } = codesIn(reply);
      return reply.status === 200 && id !== undefined ? { result: 'ok', ref: id } : byStatus(reply);
    },
  },
  feishu: {
    request: ({ address, secret }, message) =>
      json(address, {
        ...(secret !== '' && { timestamp: String(message.now), sign: feishuSign(secret, message.now) }),
        msg_type: 'text',
        content: { text: withinBytes(plain(message), 18_000) },
      }),
    read: (reply) => byCode(reply, 'code', 0, [11_232]),
  },
  dingtalk: {
    request({ address, secret }, message) {
      const ms = message.now * 1000;
      const to = secret === '' ? address : withQuery(address, { timestamp: `${ms}`, sign: dingtalkSign(secret, ms) });
      return json(to, { msgtype: 'text', text: { content: withinBytes(plain(message), 18_000) } });
    },
    read: (reply) => byCode(reply, 'errcode', 0, [-1, 130_101, 90_030, 410_100, 450_101]),
  },
  wecom: {
    request: ({ address }, message) =>
      json(address, { msgtype: 'text', text: { content: withinBytes(plain(message), 2048) } }),
    read: (reply) => byCode(reply, 'errcode', 0, [-1, 45_009]),
  },
  teams: {
    request: ({ address }, message) =>
      json(address, {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                { type: 'TextBlock', text: shortened(message.title, 500), weight: 'Bolder', wrap: true },
                ...message.lines.map((line) => ({ type: 'TextBlock', text: shortened(line, 2000), wrap: true })),
                ...(message.link === '' ? [] : [{ type: 'TextBlock', text: message.link, wrap: true }]),
              ],
            },
          },
        ],
      }),
    read: (reply) => (reply.status === 202 || reply.status === 200 ? ok : byStatus(reply)),
  },
  ntfy: {
    request: ({ address, target, token }, message) =>
      json(
        address,
        {
          topic: target,
          title: withinBytes(message.title, 900),
          message: withinBytes(plain({ ...message, title: '', link: '' }) || message.title, 3500),
          priority: message.isOver ? 2 : loudness[message.severity],
          ...(message.link !== '' && { click: message.link }),
        },
        token === '' ? {} : { authorization: `Bearer ${token}` },
      ),
    read: (reply) => (reply.status >= 200 && reply.status < 300 ? ok : byStatus(reply)),
  },
  bark: {
    request: ({ address, token }, message) =>
      json(`${address.replace(/\/+$/, '')}/push`, {
        device_key: token,
        title: withinBytes(message.title, 500),
        body: withinBytes(plain({ ...message, title: '', link: '' }) || message.title, 2500),
        level: message.isOver ? 'passive' : barkLevels[message.severity],
        ...(message.link !== '' && { url: message.link }),
      }),
    read: (reply) => byCode(reply, 'code', 200, []),
  },
  pagerduty: {
    request: ({ address, token }, message) =>
      json(address || 'https://events.pagerduty.com/v2/enqueue', {
        routing_key: token,
        event_action: message.isOver ? 'resolve' : 'trigger',
        dedup_key: `relay-hub:${message.replyTo || message.object}`,
        payload: {
          summary: shortened(message.title, 1024),
          source: 'relay-hub',
          severity: message.severity,
          timestamp: new Date(message.time * 1000).toISOString(),
          custom_details: { lines: message.lines.map((line) => shortened(line, 2000)) },
        },
        ...(message.link !== '' && { links: [{ href: message.link, text: 'Relay Hub' }] }),
      }),
    read: (reply) => (reply.status === 202 ? ok : byStatus(reply)),
  },
};
