import { baseAddress, type GatewayKind, gatewayTypes, type OrderCurrency, orderCurrencies } from '@relay-hub/contract';
import { isObject, parseJson } from '#json.ts';
import {
  decimalIn,
  isDeleted,
  lineIn,
  minorIn,
  objectIn,
  type OldRow,
  OldValueError,
  rowName,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { isHubLine, type OldWorld, readRows } from './old-world.ts';

/** A payment gateway of the old program, in our terms. */
export interface ArrivingGateway {
  oldId: number;
  type: GatewayKind;
  /** Part of the notification address; empty: the old program has another form of addresses. */
  uuid: string;
  name: string;
  icon: string;
  notify_domain: string;
  /** Cents of USD. */
  fixed_fee_minor: number;
  /** Units of 0.0001. */
  percent_fee_bp: number;
  currency: OrderCurrency;
  /** Texts by field, secrets included. */
  config: Record<string, string>;
  sort: number;
  created_at: number;
  /** Deleted there; it comes without its keys, for the names of its orders. */
  deleted: boolean;
}

/** The payment gateways, from the table of one-hub and done-hub or the settings of new-api. One-api has none. */
export async function* readGateways(world: OldWorld): AsyncIterable<ArrivingGateway> {
  if (isHubLine(world))
    yield* readRows(world, {
      table: 'payments',
      kind: 'gateway',
      name: labelOf,
      read: (row) => gatewayOf(row, world),
    });
  else if (world.program === 'new-api') yield* await gatewaysOfOptions(world);
}

const labelOf = (row: OldRow): string => rowName(row, 'payment gateway');

function gatewayOf(row: OldRow, { has, report }: OldWorld): ArrivingGateway {
  const label = labelOf(row);
  const oldType = textIn(row, 'type');
  const type = gatewayTypes.find((known) => known === oldType);
  if (!type) throw new OldValueError(`its type ${oldType} has no counterpart`);
  const oldCurrency = textIn(row, 'currency');
  const currency = orderCurrencies.find((known) => known === oldCurrency);
  if (!currency) throw new OldValueError(`its currency ${oldCurrency} has no counterpart`);
  if (has('payments', 'currency_rate') && ![0, 1].includes(decimalIn(row, 'currency_rate')))
    report.remark('gateway_field', `${label}: its currency rate ${decimalIn(row, 'currency_rate')}`);
  const domain = baseAddress.safeParse(textIn(row, 'notify_domain'));
  if (!domain.success) report.remark('gateway_field', `${label}: notify_domain`);
  const uuid = textIn(row, 'uuid');
  const icon = textIn(row, 'icon').trim();
  const deleted = isDeleted(row);
  return {
    oldId: wholeIn(row, 'id'),
    type,
    uuid: /^[0-9a-f]{32}$/.test(uuid) ? uuid : '',
    name: lineIn(row, 'name', 255) || type,
    icon: icon === '' || icon.length > LONGEST_ICON ? type : icon,
    notify_domain: domain.success ? domain.data : '',
    fixed_fee_minor: Math.max(0, minorIn(row, 'fixed_fee')),
    percent_fee_bp: Math.min(10_000, Math.max(0, Math.round(decimalIn(row, 'percent_fee') * 10_000))),
    currency,
    config: deleted ? {} : textsOf(objectIn(row, 'config')),
    sort: Math.min(1_000_000, Math.max(0, wholeIn(row, 'sort'))),
    created_at: timeIn(row, 'created_at'),
    deleted,
  };
}

const LONGEST_ICON = 300;

const textsOf = (config: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );

/** The gateways of new-api that have a counterpart, by their number in our records. */
export const newApiGateways = { alipay: 1, wxpay: 2, stripe: 3, cashier: 4 } as const;
export type NewApiGateway = keyof typeof newApiGateways;

/** The gateway of a top-up of new-api; undefined: it has no counterpart, as Creem and Waffo. */
export function newApiGatewayOf(row: OldRow): NewApiGateway | undefined {
  const provider = textIn(row, 'payment_provider');
  const method = textIn(row, 'payment_method');
  if (provider === 'stripe' || method === 'stripe') return 'stripe';
  if (provider !== '' && provider !== 'epay') return undefined;
  if (method === 'alipay' || method === 'wxpay') return method;
  // Before methods were recorded, only the number told them apart.
  if (method === '') return textIn(row, 'trade_no').startsWith('ref_') ? 'stripe' : 'cashier';
  return provider === 'epay' || !['creem', 'waffo', 'waffo_pancake', 'balance'].includes(method)
    ? 'cashier'
    : undefined;
}

/** Those that are set up, and those that only past orders name. */
async function gatewaysOfOptions({ database, options, report }: OldWorld): Promise<ArrivingGateway[]> {
  const option = (name: string): string => options.get(name)?.trim() ?? '';
  const wanted = new Set<NewApiGateway>();
  if (option('PayAddress') !== '') for (const method of epayMethods(option('PayMethods'))) wanted.add(method);
  if (option('StripeApiSecret') !== '') wanted.add('stripe');
  for await (const row of database.rows('top_ups')) {
    const gateway = newApiGatewayOf(row);
    if (gateway) wanted.add(gateway);
  }
  for (const name of ['CreemApiKey', 'WaffoApiKey', 'WaffoPancakeApiKey'])
    if (option(name) !== '') report.remark('gateway_field', `${name.replace(/ApiKey$/, '')} has no counterpart`);
  const epay = { pay_domain: option('PayAddress'), partner_id: option('EpayId'), key: option('EpayKey') };
  return [...wanted].map((each) => ({
    oldId: newApiGateways[each],
    type: each === 'stripe' ? 'stripe' : 'epay',
    uuid: '',
    name: titles[each],
    icon: each === 'cashier' ? 'epay' : each,
    notify_domain: '',
    fixed_fee_minor: 0,
    percent_fee_bp: 0,
    currency: each === 'stripe' ? 'USD' : 'CNY',
    config:
      each === 'stripe'
        ? { secret_key: option('StripeApiSecret') }
        : { ...epay, pay_type: each === 'cashier' ? '' : each },
    sort: 0,
    created_at: 0,
    deleted: false,
  }));
}

const titles: Record<NewApiGateway, string> = {
  alipay: 'Alipay',
  wxpay: 'WeChat Pay',
  stripe: 'Stripe',
  cashier: 'Epay',
};

/** The methods offered at epay; new-api offers two where none were saved. */
function epayMethods(text: string): NewApiGateway[] {
  const saved = parseJson(text);
  if (!Array.isArray(saved)) return ['alipay', 'wxpay'];
  const types = saved.filter(isObject).map(({ type }) => type);
  return types.flatMap((type) =>
    type === 'stripe' ? [] : type === 'alipay' || type === 'wxpay' ? [type] : ['cashier'],
  );
}
