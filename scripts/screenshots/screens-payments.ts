import type { OrderStatus, OwnOrder, OwnOrderDetail, PublicGateway, Receipt } from '@relay-hub/contract';
import type { Answer } from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** Top-up by payment, in all states of an order, and receipts. Replies are mocked: orders expire within minutes. */
export const paymentScreens = (): Screen[] => screens().map((screen) => ({ ...screen, as: 'user', dataOnly: true }));

const screens = (): Screen[] => [
  { name: 'topup-payment', address: '/panel/topup', answers: answersOf([]) },
  { name: 'topup-orders', address: '/panel/topup', answers: answersOf(orders()) },
  {
    name: 'topup-wrong-amount',
    address: '/panel/topup',
    answers: answersOf([]),
    act: async (page) => {
      await page.getByRole('main').getByRole('textbox').first().fill('2');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'topup-gateway-failed',
    address: '/panel/topup',
    answers: { ...answersOf([]), '**/api/user/order': 500 },
    act: async (page) => {
      await page.getByRole('radio').nth(7).check({ force: true });
      await page.getByRole('main').getByRole('textbox').first().press('Enter');
    },
  },
  ...states().map(([name, order]): Screen => ({
    name: `order-${name}`,
    address: `/panel/topup?order=${order.trade_no}${name === 'left' ? '&cancelled=1' : ''}`,
    answers: answersOf([order, ...orders().slice(1)], order),
  })),
  { name: 'receipt', address: '/panel/topup/receipt?order=1', answers: { '**/receipt': { data: receipt() } } },
  {
    name: 'receipt-refunded',
    address: '/panel/topup/receipt?order=1',
    answers: { '**/receipt': { data: { ...receipt(), refunds: [creditNote] } } },
  },
  { name: 'receipt-missing', address: '/panel/topup/receipt?order=1', answers: { '**/receipt': 404 } },
  {
    name: 'dashboard-no-balance',
    address: '/panel/dashboard',
    answers: { '**/api/user/payment': { data: gateways() }, '**/api/user/self': { data: newcomer() } },
  },
  {
    name: 'token-no-balance',
    address: '/panel/token',
    answers: { '**/api/user/self': { data: newcomer() } },
  },
];

function answersOf(list: OwnOrder[], open?: OwnOrderDetail): Record<string, Answer> {
  return {
    '**/api/user/payment': { data: gateways() },
    '**/api/user/order?*': { data: { data: list, page: 1, size: 5, total_count: list.length > 0 ? 12 : 0 } },
    ...(open && { [`**/api/user/order/${open.trade_no}`]: { data: open } }),
  };
}

function gateways(): PublicGateway[] {
  const common = { fixed_fee: 0, percent_fee: 0, sort: 0 };
  return [
    { ...common, uuid: '1', type: 'alipay', name: 'Alipay', icon: 'alipay', percent_fee: 0.03, currency: 'CNY' },
    { ...common, uuid: '2', type: 'wxpay', name: 'WeChat Pay', icon: 'wechat', percent_fee: 0.01, currency: 'CNY' },
    { ...common, uuid: '3', type: 'stripe', name: 'Card', icon: 'stripe', fixed_fee: 0.3, currency: 'USD' },
    { ...common, uuid: '4', type: 'epay', name: 'Union Pay', icon: 'none', currency: 'CNY' },
  ];
}

function orderOf(status: OrderStatus, change: Partial<OwnOrder> = {}): OwnOrder {
  const now = Math.floor(Date.now() / 1000);
  const isPaid = !['pending', 'closed', 'failed'].includes(status);
  return {
    id: 418,
    trade_no: '20261120174411880001',
    gateway_name: 'Alipay',
    gateway_type: 'alipay',
    gateway_icon: 'alipay',
    amount: 100,
    fee: 2.7,
    fee_minor: 270,
    discount: 10,
    discount_minor: 1000,
    order_amount: 676.71,
    order_minor: 67_671,
    order_currency: 'CNY',
    rate: '7.3',
    quota: 50_000_000,
    status,
    created_at: now - 28,
    updated_at: now - 5,
    expires_at: now + 872,
    paid_at: isPaid ? now - 5 : 0,
    refunded_minor: 0,
    refunded_quota: 0,
    receipt_no: isPaid ? '2026-000418' : '',
    ...change,
  };
}

function orders(): OwnOrder[] {
  const day = 86_400;
  const now = Math.floor(Date.now() / 1000);
  const old = (days: number) => ({ created_at: now - days * day, expires_at: now - days * day + 900 });
  const wechat = { gateway_name: 'WeChat Pay', gateway_type: 'wxpay', gateway_icon: 'wechat' } as const;
  const card = { gateway_name: 'Card', gateway_type: 'stripe', gateway_icon: 'stripe', order_currency: 'USD' } as const;
  const small = { amount: 10, quota: 5_000_000, order_minor: 7373 };
  return [
    orderOf('pending', { id: 5 }),
    orderOf('success', { id: 4, trade_no: '20261112090210040002', ...old(8), ...card, order_minor: 5030, quota: 25e6 }),
    orderOf('part_refunded', { id: 3, ...old(21), ...wechat, ...small, refunded_minor: 3687, refunded_quota: 25e5 }),
    orderOf('closed', { id: 2, ...old(23), ...wechat, ...small, updated_at: now - 23 * day + 960 }),
    orderOf('disputed', { id: 1, ...old(40), ...card, order_minor: 103_000, quota: 500_000_000 }),
  ];
}

function states(): [name: string, order: OwnOrderDetail][] {
  const url = 'https://qr.alipay.com/bax08431klzjrqzy3b0n555c';
  const byCode = (order: OwnOrder) => ({
    trade_no: order.trade_no,
    type: 2 as const,
    data: { url },
    expires_at: order.expires_at,
  });
  const waiting = orderOf('pending');
  const card = { ...waiting, gateway_name: 'Card', gateway_type: 'stripe', gateway_icon: 'stripe' } as const;
  const page = { ...byCode(card), type: 1 as const };
  const balance = 6_200_000;
  return [
    ['waiting', { ...waiting, balance, start: byCode(waiting) }],
    ['page', { ...card, order_currency: 'USD', order_minor: 9030, balance, start: page }],
    ['left', { ...card, order_currency: 'USD', order_minor: 9030, balance, start: page }],
    ['late', { ...waiting, expires_at: waiting.created_at + 1, balance, start: null }],
    ['paid', { ...orderOf('success'), balance: balance + 50_000_000, start: null }],
    ['expired', { ...orderOf('closed', { expires_at: waiting.updated_at - 60 }), balance, start: null }],
    ['cancelled', { ...orderOf('closed'), balance, start: null }],
    ['failed', { ...orderOf('failed'), balance, start: null }],
  ];
}

const creditNote = {
  credit_note_no: 'CN-2026-000031',
  minor: 20_000,
  reason: 'Unused credit, as agreed by mail',
  refunded_at: 1_795_000_000,
};

function receipt(): Receipt {
  return {
    receipt_no: '2026-000418',
    issued_at: 1_794_900_000,
    paid_at: 1_794_900_000,
    seller: 'Relay Hub',
    buyer: 'liu.wei, liu.wei@example.com',
    trade_no: '20261120174411880001',
    gateway_name: 'Alipay',
    gateway_no: '2026112022001478123405512',
    amount: 100,
    discount_minor: 1000,
    fee_minor: 270,
    rate: '7.3',
    order_minor: 67_671,
    order_currency: 'CNY',
    refunds: [],
  };
}

const newcomer = () => ({
  id: 2,
  username: 'liu.wei',
  display_name: 'liu.wei',
  avatar_url: '',
  role: 1,
  status: 1,
  email: 'liu.wei@example.com',
  group: 'default',
  quota: 0,
  used_quota: 0,
  request_count: 0,
  created_time: 1_794_000_000,
  last_login_time: 1_794_000_000,
  troubled_channels: 0,
});
