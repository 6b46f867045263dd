import { randomUUID } from 'node:crypto';
import type { gatewayEdit, GatewayTest, newGateway, PaymentGateway } from '@relay-hub/contract';
import { parseTextMap } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { given } from '#db/given.ts';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { GatewayError } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { masked } from '#secrets.ts';
import { addToConfig, isNewSecret, sealConfig, shownConfig } from './gateway-config.ts';
import { getGateway } from './gateway-queries.ts';
import { contextOf, existingGateway, type GatewayDeps, type GatewayRow } from './gateway-rows.ts';

type ChangeDeps = GatewayDeps & Pick<Deps, 'db' | 'log'>;

/** Creates a gateway. Throws `gateway.*` for a configuration that cannot work. */
export async function createGateway(
  deps: ChangeDeps,
  { config, fixed_fee, percent_fee, ...each }: z.output<typeof newGateway>,
): Promise<PaymentGateway> {
  const { db, secrets, now } = deps;
  ensureCurrency(each.type, each.currency);
  const { id } = await db
    .insertInto('payment_gateways')
    .values({
      ...each,
      ...sealConfig(each.type, config, undefined, secrets),
      fixed_fee_minor: centsOf(fixed_fee),
      percent_fee_bp: basisPointsOf(percent_fee),
      uuid: randomUUID().replaceAll('-', ''),
      created_at: now(),
      updated_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await prepareGateway(deps, id, config);
  return getGateway(db, deps, id);
}

/** Updates the given fields. Throws `gateway.type_fixed` for another type, and as `createGateway`. */
export async function updateGateway(
  deps: ChangeDeps,
  { id, type, config, fixed_fee, percent_fee, ...each }: z.output<typeof gatewayEdit>,
): Promise<PaymentGateway> {
  const { db, secrets, now } = deps;
  const before = await existingGateway(db, id);
  ensure(type === undefined || type === before.type, 'gateway.type_fixed', { field: 'type' });
  if (each.currency !== undefined) {
    ensureCurrency(before.type, each.currency);
    ensure(each.currency === before.currency || !(await hasOrders(db, id)), 'gateway.currency_fixed', {
      field: 'currency',
    });
  }
  const values = given({
    ...each,
    fixed_fee_minor: fixed_fee === undefined ? undefined : centsOf(fixed_fee),
    percent_fee_bp: percent_fee === undefined ? undefined : basisPointsOf(percent_fee),
    ...(config !== undefined && sealConfig(before.type, config, before, secrets)),
  });
  await db
    .updateTable('payment_gateways')
    .set({ ...values, updated_at: now() })
    .where('id', '=', id)
    .execute();
  const isMoved = each.notify_domain !== undefined && each.notify_domain !== before.notify_domain;
  if (isMoved || hasNewSecret(before.type, config)) await prepareGateway(deps, id, config);
  return getGateway(db, deps, id);
}

/** Deletes a gateway. The row stays: payments of its orders are still verified with its keys. */
export async function removeGateway(db: Db, id: number, now: number): Promise<void> {
  await existingGateway(db, id);
  await db.updateTable('payment_gateways').set({ deleted_time: now }).where('id', '=', id).execute();
}

export async function restoreGateway(db: Db, id: number): Promise<void> {
  await db.updateTable('payment_gateways').set({ deleted_time: null }).where('id', '=', id).execute();
}

/** Sorts gateways as listed. Gateways that are not listed keep their place below. */
export async function arrangeGateways(db: Db, ids: readonly number[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const found = await trx.selectFrom('payment_gateways').where('deleted_time', 'is', null).select('id').execute();
    const known = new Set(found.map(({ id }) => id));
    ensure(ids.every((id) => known.has(id)) && new Set(ids).size === ids.length, 'record.not_found', { field: 'ids' });
    const rest = [...known].filter((id) => !ids.includes(id)).toSorted((a, b) => a - b);
    const all = [...ids, ...rest];
    for (const [index, id] of all.entries())
      await trx
        .updateTable('payment_gateways')
        .set({ sort: all.length - index })
        .where('id', '=', id)
        .execute();
  });
}

/** Whether an update changes where money is believed to come from: keys, currency or notification address. */
export async function changesTrust(
  { db, secrets }: Pick<ChangeDeps, 'db' | 'secrets'>,
  { id, config = {}, currency, notify_domain }: z.output<typeof gatewayEdit>,
): Promise<boolean> {
  const before = await existingGateway(db, id);
  const shown = textsOf(shownConfig(before.type, before, secrets));
  return (
    Object.entries(config).some(([name, value]) => value !== '' && value !== (shown[name] ?? '')) ||
    (currency ?? before.currency) !== before.currency ||
    (notify_domain ?? before.notify_domain) !== before.notify_domain
  );
}

const textsOf = (json: string): Record<string, string> => parseTextMap(json) ?? {};

async function hasOrders(db: Db, gatewayId: number): Promise<boolean> {
  const order = await db.selectFrom('orders').where('gateway_id', '=', gatewayId).select('id').executeTakeFirst();
  return order !== undefined;
}

/** Sends a harmless request; a failure is a result, not an error. */
export async function testGateway(deps: ChangeDeps, id: number): Promise<GatewayTest> {
  const row = await existingGateway(deps.db, id);
  const context = contextOf(row, deps);
  const startMs = performance.now();
  const milliseconds = () => Math.round(performance.now() - startMs);
  try {
    await adapterOf(row.type).test(context);
    return { ok: true, message: '', milliseconds: milliseconds() };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return {
      ok: false,
      message: masked(error.message, ...secretsOf(row, context.config)),
      milliseconds: milliseconds(),
    };
  }
}

/** Lets the adapter register what it needs at the gateway, such as a webhook. Failures are left to the test. */
async function prepareGateway(
  deps: ChangeDeps,
  id: number,
  entered: Readonly<Record<string, string>> = {},
): Promise<void> {
  const row = await existingGateway(deps.db, id);
  const { prepare, preparedFields = [] } = adapterOf(row.type);
  if (preparedFields.some((name) => isNewSecret(entered[name]))) return;
  const context = contextOf(row, deps);
  if (!prepare || !context.notifyUrl.startsWith('http')) return;
  try {
    const values = await prepare(context);
    if (Object.keys(values).length === 0) return;
    // Events that are under way are signed with the former secret.
    const former = Object.keys(values).map((name): [string, string] => [`old_${name}`, context.config[name] ?? '']);
    // Read again: the gateway may have taken seconds to respond.
    const current = await existingGateway(deps.db, id);
    await deps.db
      .updateTable('payment_gateways')
      .set(addToConfig(row.type, current, { ...Object.fromEntries(former), ...values }, deps.secrets))
      .where('id', '=', id)
      .execute();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    deps.log.warn({ gateway: id, code: error.code }, 'the payment gateway could not be prepared');
  }
}

function hasNewSecret(type: GatewayRow['type'], entered: Readonly<Record<string, string>> = {}): boolean {
  return adapterOf(type).form.fields.some(({ name, secret }) => secret && isNewSecret(entered[name]));
}

function secretsOf(row: GatewayRow, config: Readonly<Record<string, string>>): string[] {
  return adapterOf(row.type)
    .form.fields.filter(({ secret }) => secret)
    .map(({ name }) => config[name] ?? '');
}

function ensureCurrency(type: GatewayRow['type'], currency: GatewayRow['currency']): void {
  ensure(adapterOf(type).form.currencies.includes(currency), 'gateway.currency', { field: 'currency', currency });
}

/** The contract allows two decimals of the fee and four of the percentage, so both are exact. */
const centsOf = (usd: number): number => Math.round(usd * 100);
const basisPointsOf = (fraction: number): number => Math.round(fraction * 10_000);
