export const paymentTabs = ['orders', 'gateways', 'reconciliation'] as const;
export type PaymentTab = (typeof paymentTabs)[number];

export const noOrderFilters = { keyword: '', time: '', status: '', gateway_id: 0, attention: '', user_id: 0 };
export type OrderFilter = typeof noOrderFilters;

export interface OrderSearch extends OrderFilter {
  page: number;
  size: number;
  order: string;
}

export const orderDefaults: OrderSearch = { page: 1, size: 30, order: '-created_at', ...noOrderFilters };

export const noGatewayFilters = { q: '', type: '' };
export type GatewayFilter = typeof noGatewayFilters;

export const paymentDefaults = {
  tab: 'orders' as PaymentTab,
  ...orderDefaults,
  ...noGatewayFilters,
  /** The open order; 0: none. */
  id: 0,
  /** `new`, or the id of the gateway whose form is open. */
  edit: '',
};
export type PaymentSearch = typeof paymentDefaults;
