/** The dialog of an order, loaded when it is needed. */
export const loadOrderDialog = () => import('./order-dialog.tsx');
