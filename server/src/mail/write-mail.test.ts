import { languageCodes } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { limitNoticeKinds, mailKinds, noticeKinds } from '#i18n/mail-texts.ts';
import { type EmailInput, writeMail } from './write-mail.ts';

/** Values that no text contains without them. */
const values = { minutes: 71, username: 'some-user', team: 'some-team', tokens: 72, balance: '$73', threshold: '$74' };
const alarm = { title: 'All is lost' };
const renewal = { plan: 'some-plan', date: 'tomorrow', price: '$77', missing: '$78' };
const announced = { text: 'The news', start: 'tomorrow', end: 'later', unsubscribe: 'unsubscribe-here' };
const others = { others: 3, passkeys: 75, accounts: 76 };
const input = { site: 'Our Site', code: '123456', link: 'https://hub.example/a?b=c&d=e' };
const write = (more: Pick<EmailInput, 'kind' | 'language'> & Partial<EmailInput>) =>
  writeMail({ ...input, values: { ...values, ...others, ...alarm, ...announced, ...renewal }, ...more });

/** Values that a mail of each kind contains, in every language. */
const tells: Record<(typeof mailKinds)[number], string[]> = {
  addressCode: ['123456', '71'],
  addressTaken: ['https://hub.example/a?b=c&d=e'],
  loginCode: ['123456', '71'],
  passwordReset: ['https://hub.example/a?b=c&d=e', '71', 'some-user'],
  passwordChanged: ['https://hub.example/a?b=c&d=e', 'some-user', '72', '75', '76'],
  passwordGiven: ['https://hub.example/a?b=c&d=e', 'some-user', '72', '75', '76'],
  teamInvite: ['https://hub.example/a?b=c&d=e', 'some-team'],
  lowBalance: ['https://hub.example/a?b=c&d=e', 'some-user', '$73', '$74'],
  teamLowBalance: ['https://hub.example/a?b=c&d=e', 'some-user', '$73', '$74'],
  planRenews: ['https://hub.example/a?b=c&d=e', 'some-plan', 'tomorrow', '$77', '$78'],
  limitNear: ['https://hub.example/a?b=c&d=e'],
  expiryNear: ['https://hub.example/a?b=c&d=e'],
  channels: ['https://hub.example/a?b=c&d=e'],
  alarm: ['https://hub.example/a?b=c&d=e', 'All is lost'],
  notice: ['https://hub.example/a?b=c&d=e', 'The news', 'unsubscribe-here'],
  maintenance: ['https://hub.example/a?b=c&d=e', 'The news', 'tomorrow', 'later', 'unsubscribe-here'],
  test: [],
};

describe.each(mailKinds)('a mail of the kind %s', (kind) => {
  test.each(languageCodes)('says in %s all that there is to say, and leaves nothing unfilled', (language) => {
    const { subject, text, html } = write({ kind, language });
    expect(subject).toContain('Our Site');
    for (const fact of tells[kind]) {
      expect(text).toContain(fact);
      expect(html).toContain(fact.replaceAll('&', '&amp;'));
    }
    expect(subject + text + html).not.toMatch(/\{\w+\}|undefined|null/);
    expect(html).toContain(`lang="${language.replace('_', '-')}"`);
  });

  test('is another one in each language', () => {
    const all = languageCodes.map((language) => write({ kind, language }));
    for (const part of ['subject', 'text'] as const)
      expect(new Set(all.map((letter) => letter[part])).size).toBe(languageCodes.length);
  });

  test('shows what was typed by somebody as text, and fetches nothing', () => {
    const typed = '<img src=x onerror=alert(1)>\r\nBcc: all@evil.example';
    for (const language of languageCodes) {
      const { subject, html } = write({ kind, language, site: typed, values: { ...values, username: typed } });
      expect(subject).not.toMatch(/[\r\n]/);
      expect(html).not.toMatch(/<img|<script|<link|url\(|src=(?!x)/i);
    }
  });
});

test('ways in that are left are told of where there are any', () => {
  for (const language of languageCodes) {
    const { text } = write({ kind: 'passwordChanged', language, values: { ...values, ...others, others: 0 } });
    expect(text).not.toContain('75');
  }
});

test.each(noticeKinds)('what became of channels is told in every language: %s', (kind) => {
  const event = { line: '<img src=x onerror=alert(1)>', succeeded: 83, failed: 84, skipped: 85, off: 86, on: 87 };
  const letters = languageCodes.map((language) =>
    write({ kind: 'channels', language, events: [{ kind, values: event }] }),
  );
  expect(new Set(letters.map(({ text }) => text)).size).toBe(languageCodes.length);
  const facts = { testDone: ['83', '84', '85', '86', '87'], line: [event.line] };
  for (const { text } of letters) for (const fact of facts[kind]) expect(text).toContain(fact);
  for (const { html } of letters) expect(html).not.toMatch(/<img/);
});

test.each(limitNoticeKinds)('what is used of a limit is told in every language: %s', (kind) => {
  const used = { token: 'ci-runner', used: '$81', limit: '$82', resets: '2026-11-27 00:00 UTC' };
  const texts = languageCodes.map(
    (language) => write({ kind: 'limitNear', language, events: [{ kind, values: used }] }).text,
  );
  expect(new Set(texts).size).toBe(languageCodes.length);
  for (const text of texts) for (const fact of Object.values(used)) expect(text).toContain(fact);
});
