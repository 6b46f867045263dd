import { randomUUID } from 'node:crypto';
import { AppError } from '#errors.ts';
import { sealConfig, sealUnchecked } from '#features/payment/gateway-config.ts';
import { notifyUrlAt } from '#features/payment/gateway-rows.ts';
import type { ArrivingGateway } from '#imports/read/read-gateways.ts';
import type { ImportRun, RecordRules } from './record-rules.ts';
import { rowsHere } from './rows-here.ts';

const columns = [
  'name',
  'icon',
  'notify_domain',
  'currency',
  'fixed_fee_minor',
  'percent_fee_bp',
  'config',
  'secrets_cipher',
  'sort',
  'enable',
  'deleted_time',
] as const;

/**
 * Payment gateways come switched off, so that no payment starts before their keys and addresses were checked. A number
 * in the notification address stays, and with the same address of the site the whole address does.
 */
export async function gatewayRules(
  run: ImportRun,
  options: ReadonlyMap<string, string>,
): Promise<RecordRules<ArrivingGateway, { uuid: string }>> {
  const { db, report, now } = run;
  const uuids = new Set((await db.selectFrom('payment_gateways').select('uuid').execute()).map(({ uuid }) => uuid));
  const label = ({ name, type }: ArrivingGateway): string => `${name} (${type})`;
  return {
    kind: 'gateway',
    label: (gateway) => `payment gateway ${label(gateway)}`,
    state: ({ oldId: _id, ...rest }) => rest,
    figures: ({ name }) => ({ name }),
    prepare: (gateway) => {
      const isKept = gateway.uuid !== '' && !uuids.has(gateway.uuid);
      const uuid = isKept ? gateway.uuid : randomUUID().replaceAll('-', '');
      uuids.add(uuid);
      if (gateway.deleted) return { uuid };
      const site = gateway.notify_domain || options.get('ServerAddress')?.replace(/\/+$/, '') || '(server address)';
      const place = isKept || run.apply ? notifyUrlAt(site, uuid, run.basePath) : 'a new address';
      report.remark('gateway_off', `${label(gateway)}: notifications ${isKept ? 'still' : 'now'} go to ${place}`);
      const field = flawIn(run, gateway);
      if (field !== '') report.remark('gateway_field', `${label(gateway)}: ${field}`);
      return { uuid };
    },
    add: async (trx, gateway, { uuid }) => {
      const { id } = await trx
        .insertInto('payment_gateways')
        .values({
          ...written(run, gateway),
          type: gateway.type,
          uuid,
          enable: false,
          created_at: gateway.created_at || now,
          updated_at: now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    change: async (trx, gateway, id) => {
      await trx
        .updateTable('payment_gateways')
        .set({ ...written(run, gateway), updated_at: now })
        .where('id', '=', id)
        .execute();
    },
    here: (database, newIds) => rowsHere(database, 'payment_gateways', columns, newIds),
    end: async (trx, id) => {
      await trx.updateTable('payment_gateways').set({ deleted_time: now }).where('id', '=', id).execute();
    },
  };
}

/** The columns that come from the old side, secrets encrypted. */
function written({ secrets, now }: ImportRun, gateway: ArrivingGateway) {
  const { name, icon, notify_domain, currency, fixed_fee_minor, percent_fee_bp, sort, deleted } = gateway;
  return {
    name,
    icon,
    notify_domain,
    currency,
    fixed_fee_minor,
    percent_fee_bp,
    sort,
    ...sealed(gateway, secrets),
    deleted_time: deleted ? now : null,
  };
}

/** As the form stores it; values that would be refused there are kept for the operator to complete. */
function sealed({ type, config }: ArrivingGateway, secrets: ImportRun['secrets']) {
  try {
    return sealConfig(type, config, undefined, secrets);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return sealUnchecked(type, config, secrets);
  }
}

/** The field that the form would refuse, without its value; empty: none. */
function flawIn({ secrets }: ImportRun, { type, config }: ArrivingGateway): string {
  try {
    sealConfig(type, config, undefined, secrets);
    return '';
  } catch (error) {
    if (error instanceof AppError) return error.field ?? error.code;
    throw error;
  }
}
