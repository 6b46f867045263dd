import { incidentKinds, languageCodes, wayKinds } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { incidentText } from './alarm-texts.ts';
import { quietUntil } from './quiet-hours.ts';
import {
  dingtalkSign,
  feishuSign,
  type WayMessage,
  services,
  signedHeaders,
  type WayReply,
  withinBytes,
} from './way-kinds.ts';
import { serverTexts } from '#i18n/texts.ts';

const message: WayMessage = {
  id: 'msg_1',
  type: 'incident.opened',
  object: 'incident:7',
  severity: 'error',
  isOver: false,
  title: 'Channel <!channel> & "x" fails',
  lines: ['Last error: 401', 'Test the channel.'],
  link: 'https://hub.example/panel/incident?show=7',
  data: { id: 7 },
  time: 1_795_809_598,
  now: 1_795_809_600,
  replyTo: '',
};
const config = { address: 'https://service.example/hook?key=abc', target: 't', token: 'tok', secret: 'whsec_AAAA' };
const reply = (status: number, body: unknown = '', headers: Record<string, string> = {}): WayReply => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('signatures', () => {
  test('are those of Standard Webhooks, over the exact bytes', () => {
    const body =
      '{"type":"balance.low","timestamp":"2026-11-27T19:59:58.120Z","data":{"user_id":42,"balance_credits":480000,"threshold_credits":500000}}';
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    expect(signedHeaders(secret, 'msg_0192f3a1b2c37d8e9fa0b1c2d3e4f506', 1_795_809_600, body)).toEqual({
      'webhook-id': 'msg_0192f3a1b2c37d8e9fa0b1c2d3e4f506',
      'webhook-timestamp': '1795809600',
      'webhook-signature': 'v1,sLFm7cLMqzY8X/M+geUaseDKeYNKAiqyjnbNDRemvJ8=',
    });
  });

  test('of Feishu and DingTalk swap key and text', () => {
    expect(feishuSign('relayhub-demo-secret', 1_795_809_600)).toBe('kDPU9nC2BZT8mnvlVFea4ve9Kr2RFGoDQe2PTab8vhw=');
    expect(dingtalkSign('SECrelayhubdemosecret', 1_795_809_600_000)).toBe(
      'PPvVtXkJVIapuXDZ1IdChEqX32mOzrC/UkeYvgkpeAM=',
    );
    const { address } = services.dingtalk.request({ ...config, secret: 'SECrelayhubdemosecret' }, message);
    expect(address).toContain('sign=PPvVtXkJVIapuXDZ1IdChEqX32mOzrC%2FUkeYvgkpeAM%3D');
  });
});

/** Answers of each service, and what they mean. */
const answers: [kind: keyof typeof services, reply: WayReply, result: 'ok' | 'again' | 'never'][] = [
  ['webhook', reply(204), 'ok'],
  ['webhook', reply(302), 'again'],
  ['webhook', reply(410), 'never'],
  ['webhook', reply(500), 'again'],
  ['slack', reply(200, 'ok'), 'ok'],
  ['slack', reply(200, '{"ok":false}'), 'never'],
  ['slack', reply(404, 'no_service'), 'never'],
  ['slack', reply(429, '', { 'retry-after': '2' }), 'again'],
  ['discord', reply(200, { id: '77' }), 'ok'],
  ['discord', reply(204), 'never'],
  ['discord', reply(429, { retry_after: 0.75 }), 'again'],
  ['telegram', reply(200, { ok: true, result: { message_id: 5 } }), 'ok'],
  ['telegram', reply(200, { ok: false }), 'never'],
  ['telegram', reply(429, { ok: false, parameters: { retry_after: 3 } }), 'again'],
  ['feishu', reply(200, { code: 0 }), 'ok'],
  ['feishu', reply(200, { code: 19_021, msg: 'sign match fail' }), 'never'],
  ['feishu', reply(200, { code: 11_232 }), 'again'],
  ['dingtalk', reply(200, { errcode: 0 }), 'ok'],
  ['dingtalk', reply(200, { errcode: 310_000 }), 'never'],
  ['dingtalk', reply(200, { errcode: 130_101 }), 'again'],
  ['wecom', reply(200, { errcode: 0 }), 'ok'],
  ['wecom', reply(200, { errcode: 93_000 }), 'never'],
  ['wecom', reply(200, { errcode: 45_009 }), 'again'],
  ['wecom', reply(200, '<html>a portal</html>'), 'again'],
  ['teams', reply(202), 'ok'],
  ['teams', reply(404), 'never'],
  ['ntfy', reply(200, { id: 'x' }), 'ok'],
  ['ntfy', reply(403, { code: 40_301 }), 'never'],
  ['bark', reply(200, { code: 200 }), 'ok'],
  ['bark', reply(200, { code: 400, message: 'device not found' }), 'never'],
  ['pagerduty', reply(202, { status: 'success' }), 'ok'],
  ['pagerduty', reply(400, { status: 'invalid event' }), 'never'],
];

test.each(answers)('%s: the answer %o means %s', (kind, answer, result) => {
  expect(services[kind].read(answer).result).toBe(result);
});

test('a service says how long to wait, in seconds or milliseconds', () => {
  for (const [body, headers, afterS] of [
    ['', { 'retry-after': '2' }, 2],
    ['{"retry_after":0.75}', {}, 1],
    ['{"retry_after":1500}', {}, 2],
  ] as const)
    expect(services.discord.read(reply(429, body, headers))).toEqual({ result: 'again', afterS });
});

test('every service gets title, lines and link, within its limits, and nobody is pinged', () => {
  const long = { ...message, lines: ['说'.repeat(30_000)] };
  for (const kind of wayKinds) {
    if (kind === 'mail') continue;
    const { body } = services[kind].request(config, kind === 'webhook' ? message : long);
    expect(Buffer.byteLength(body), kind).toBeLessThan(20_500);
    expect(body.isWellFormed(), kind).toBe(true);
    if (kind !== 'webhook') expect(body, kind).toContain('fails');
  }
  expect(services.slack.request(config, message).body).not.toContain('<!channel>');
  expect(JSON.parse(services.discord.request(config, message).body)).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(Buffer.byteLength(withinBytes('说'.repeat(2000), 2048))).toBeLessThanOrEqual(2048);
});

test('the end of an incident resolves the alert that its beginning raised', () => {
  const [raised, over] = [message, { ...message, isOver: true }].map(
    (each) => JSON.parse(services.pagerduty.request(config, each).body) as Record<string, unknown>,
  );
  expect([raised?.['event_action'], over?.['event_action']]).toEqual(['trigger', 'resolve']);
  expect(raised?.['dedup_key']).toBe(over?.['dedup_key']);
});

test.each([
  ['2026-11-28T21:59:00Z', '22:00', '07:00', 'UTC', 0],
  ['2026-11-28T22:00:30Z', '22:00', '07:00', 'UTC', 9 * 3600 - 30],
  ['2026-11-28T06:59:00Z', '22:00', '07:00', '', 60],
  ['2026-11-28T12:30:00Z', '12:00', '13:00', 'UTC', 1800],
  ['2026-11-28T14:30:00Z', '22:00', '07:00', 'Asia/Shanghai', 8.5 * 3600],
  ['2026-11-28T12:30:00Z', '', '', 'UTC', 0],
])('at %s, quiet from %s to %s in %j, a message waits %d s', (time, quiet_from, quiet_to, quiet_zone, waitS) => {
  const now = Date.parse(time) / 1000;
  expect(quietUntil({ quiet_from, quiet_to, quiet_zone }, now) - now).toBe(waitS);
});

test('every kind of incident has its own text in every language', () => {
  for (const kind of incidentKinds) {
    const texts = languageCodes.map((language) => incidentText(kind, {}, language));
    expect(new Set(texts.map(({ title }) => title)).size, kind).toBe(languageCodes.length);
    expect(new Set(texts.map(({ advice }) => advice)).size, kind).toBe(languageCodes.length);
  }
  for (const language of languageCodes) expect(serverTexts(language).alarms.over).not.toBe('');
});
