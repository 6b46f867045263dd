import { minorText } from '@relay-hub/contract';
import type { SimulatorReply, SimulatorRequest } from './simulator-server.ts';
import type { SimulatedPayment } from './simulator.ts';

interface CashierOptions {
  payments: ReadonlyMap<string, SimulatedPayment>;
  /** Called before the page is shown. */
  opened?: (payment: SimulatedPayment) => void;
  pay: (tradeNo: string) => Promise<unknown>;
  /** Where the browser goes after the payment, or after it was cancelled. */
  returnUrl: (payment: SimulatedPayment) => string;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Answers requests below `/cashier/<order number>`: a page with buttons to pay, decline and cancel. */
export async function cashierReply(
  { method, path }: SimulatorRequest,
  { payments, opened, pay, returnUrl }: CashierOptions,
): Promise<SimulatorReply> {
  const [, , tradeNo = '', button] = path.split('/');
  const payment = payments.get(tradeNo);
  if (!payment) return page('No such order', '', 404);
  if (method === 'GET') {
    opened?.(payment);
    return page(`${minorText(payment.minor)} ${payment.currency}`, buttonsOf(payment));
  }
  if (button === 'cancel') return { location: payment.returnUrl };
  if (button === 'decline') return page('The payment was declined', buttonsOf(payment), 402);
  if (payment.state !== 'open') return page('This order cannot be paid any more', '', 409);
  // The hub may be unreachable; a real gateway repeats the notification later.
  await pay(tradeNo).catch(() => undefined);
  return { location: returnUrl(payment) };
}

function buttonsOf({ tradeNo, state }: SimulatedPayment): string {
  if (state !== 'open') return `<p>${state}</p>`;
  return [
    ['pay', 'Pay'],
    ['decline', 'Decline'],
    ['cancel', 'Cancel payment'],
  ]
    .map(([name, label]) => `<form method="post" action="/cashier/${tradeNo}/${name}"><button>${label}</button></form>`)
    .join('\n');
}

const page = (heading: string, content: string, status = 200): SimulatorReply => ({
  status,
  type: 'text/html',
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Simulated cashier</title>
<h1>${escaped(heading)}</h1>
${content}
</html>`,
});
