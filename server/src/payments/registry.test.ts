import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { paymentContext } from '#testing/payment-context.ts';
import type { PaymentSimulator } from '#payment-simulator/simulator.ts';
import { GatewayFieldError, NoticeRefused } from './gateway.ts';
import { adapterOf, gatewayForms } from './registry.ts';

const simulators = path.join(import.meta.dirname, '../../../testing/payment-simulator');
const running = new Map<string, PaymentSimulator>();
for (const { type } of gatewayForms()) {
  const file = path.join(simulators, `${type}.ts`);
  if (!existsSync(file)) throw new Error(`the payment gateway ${type} has no simulator`);
  const starters = (await import(file)) as Record<string, () => Promise<PaymentSimulator>>; // `start…`, checked below
  const start = Object.entries(starters).find(([name]) => name.startsWith('start'))?.[1];
  if (start) running.set(type, await start());
}
afterAll(async () => {
  for (const simulator of running.values()) await simulator.close();
});

describe.each(gatewayForms().map(({ type }) => type))('%s', (type) => {
  const gateway = adapterOf(type);
  const { fields } = gateway.form;
  const config = running.get(type)!.config; // each type has a simulator
  const shown = fields.filter(({ when }) => {
    const other = fields.find(({ name }) => name === when?.name);
    return !when || when.values.includes(config[when.name] ?? other?.fallback ?? '');
  });

  test('the form has unique names, and conditions and fallbacks that exist', () => {
    const names = fields.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, kind, choices, fallback, when } of fields) {
      if (kind === 'choice') expect(choices, name).toContain(fallback);
      if (!when) continue;
      expect(names).toContain(when.name);
      const other = fields.find((field) => field.name === when.name);
      expect(other?.choices, name).toStrictEqual(expect.arrayContaining(when.values));
    }
  });

  test('a valid configuration is accepted, and checking it again changes nothing', () => {
    const checked = gateway.check(config);
    expect(gateway.check(checked)).toStrictEqual(checked);
    expect(fields.map(({ name }) => name)).toStrictEqual(expect.arrayContaining(Object.keys(checked)));
    expect(new URL(gateway.destination(checked)).origin).toBe(gateway.destination(checked));
  });

  test('the merchant is shown without secrets', () => {
    const shownText = gateway.merchant(config);
    expect(shownText).not.toBe('');
    for (const { name, secret } of fields) if (secret && config[name]) expect(shownText).not.toContain(config[name]);
  });

  test.each(shown.filter(({ required, fallback }) => required && fallback === ''))('$name is required', ({ name }) => {
    for (const empty of ['', '  ']) {
      const check = () => gateway.check({ ...config, [name]: empty });
      expect(check).toThrow(expect.objectContaining({ field: name, problem: 'missing' }));
    }
  });

  test.each(fields.filter(({ name }) => name.includes('private_key')))('an unusable $name is refused', (field) => {
    const values = field.when ? { [field.when.name]: field.when.values[0] ?? '' } : {};
    for (const key of ['key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', '\0', '{}']) {
      const others = Object.fromEntries(fields.filter(({ secret }) => !secret).map(({ name }) => [name, 'AAAA']));
      const check = () => gateway.check({ ...others, ...config, ...values, [field.name]: key });
      expect(check).toThrow(GatewayFieldError);
      expect(check).toThrow(expect.objectContaining({ field: field.name, problem: 'key' }));
    }
  });

  test.each([
    ['an empty body', ''],
    ['a huge body', 'a=1&'.repeat(500_000)],
    ['binary', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 31) % 256))],
    ['a list', '[]'],
    ['null', 'null'],
    ['an object', '{"sign":{},"id":null}'],
    ['deep nesting', '['.repeat(100_000)],
    ['names of prototypes', '__proto__=1&constructor=2&sign=3&sign_type=RSA2'],
    ['a broken escape', 'sign=%&sign_type=MD5&pid=%E0%A4%A'],
  ])('a notification with %s is refused, and nothing else happens', async (_, body) => {
    const context = paymentContext(config, { send: () => Promise.reject(new Error('no request is expected')) });
    const bytes = Buffer.from(body as string); // or bytes, which `from` copies
    for (const raw of [
      { method: 'POST', query: '', body: bytes },
      { method: 'GET', query: bytes.toString('latin1'), body: Buffer.alloc(0) },
    ]) {
      const verified = (async () => await gateway.verify(context, { ...raw, headers: {} }))();
      await expect(verified).rejects.toBeInstanceOf(NoticeRefused);
    }
  });

  test('a refused notification is not acknowledged like an accepted one', () => {
    expect(gateway.acknowledge(true)).not.toStrictEqual(gateway.acknowledge(false));
  });
});
