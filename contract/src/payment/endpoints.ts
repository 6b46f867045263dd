import { endpoints } from '../endpoint.ts';
import type { paymentSchemas } from './gateway.ts';
import type { orderSchemas, ownOrderSchemas } from './order.ts';
import type { reconciliationSchemas } from './reconciliation.ts';

export const paymentApi = endpoints<typeof paymentSchemas>({
  list: 'GET /api/payment/',
  types: 'GET /api/payment/types',
  get: 'GET /api/payment/:id',
  create: 'POST /api/payment/',
  update: 'PUT /api/payment/',
  arrange: 'PUT /api/payment/sort',
  remove: 'DELETE /api/payment/:id',
  restore: 'POST /api/payment/:id/restore',
  test: 'POST /api/payment/:id/test',
});

export const orderApi = endpoints<typeof orderSchemas>({
  list: 'GET /api/payment/order',
  totals: 'GET /api/payment/order/stat',
  download: 'GET /api/payment/order/export',
  get: 'GET /api/payment/order/:id',
  evidence: 'GET /api/payment/order/event/:id',
  ask: 'POST /api/payment/order/:id/query',
  complete: 'POST /api/payment/order/:id/complete',
  refund: 'POST /api/payment/order/:id/refund',
  askRefund: 'POST /api/payment/refund/:id/query',
  settleRefund: 'POST /api/payment/refund/:id/settle',
  dismiss: 'POST /api/payment/order/:id/dismiss',
  receipt: 'GET /api/payment/order/:id/receipt',
  strays: 'GET /api/payment/notice',
});

export const ownOrderApi = endpoints<typeof ownOrderSchemas>({
  gateways: 'GET /api/user/payment',
  create: 'POST /api/user/order',
  status: 'GET /api/user/order/status',
  list: 'GET /api/user/order',
  get: 'GET /api/user/order/:trade_no',
  check: 'POST /api/user/order/:trade_no/check',
  cancel: 'POST /api/user/order/:trade_no/cancel',
  receipt: 'GET /api/user/order/:trade_no/receipt',
});

export const reconciliationApi = endpoints<typeof reconciliationSchemas>({
  compare: 'POST /api/payment/reconcile',
});
