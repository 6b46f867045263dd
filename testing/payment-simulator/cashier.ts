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

interface CashierPage {
  title: string;
  lines?: readonly string[];
  /** Hidden fields of the buttons' form; without, the payment has ended and there are no buttons. */
  fields?: Readonly<Record<string, string>>;
  error?: string;
  /** 200, or 402 with an error. */
  status?: number;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The payer's page: buttons that post `do` and the fields to its address, so that it works without scripts. */
export function cashierPage({ title, lines = [], fields, error, status }: CashierPage): SimulatorReply {
  const hidden = Object.entries(fields ?? {}).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  const buttons = [
    ['pay', 'Pay'],
    ['decline', 'Decline'],
    ['cancel', 'Cancel payment'],
  ].map(([name, label]) => `<button name="do" value="${name}">${label}</button>`);
  return {
    status: status ?? (error === undefined ? 200 : 402),
    type: 'text/html',
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Simulated cashier</title>
<h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')}
${error === undefined ? '' : `<p role="alert">${escaped(error)}</p>`}
${fields ? `<form method="post">${[...hidden, ...buttons].join('\n')}</form>` : ''}
</html>`,
  };
}

/** The button that was pressed; undefined before. */
export const pressedButton = ({ method, body }: SimulatorRequest): string | undefined =>
  method === 'POST' ? (new URLSearchParams(body).get('do') ?? undefined) : undefined;

/** Answers requests to `/cashier/<order number>`: a page with buttons to pay, decline and cancel. */
export async function cashierReply(
  request: SimulatorRequest,
  { payments, opened, pay, returnUrl }: CashierOptions,
): Promise<SimulatorReply> {
  const payment = payments.get(request.path.split('/')[2] ?? '');
  if (!payment) return cashierPage({ title: 'No such order', status: 404 });
  const title = `${minorText(payment.minor)} ${payment.currency}`;
  const page: CashierPage = payment.state === 'open' ? { title, fields: {} } : { title, lines: [payment.state] };
  const button = pressedButton(request);
  if (button === undefined) {
    opened?.(payment);
    return cashierPage(page);
  }
  if (button === 'cancel') return { location: payment.returnUrl };
  if (button === 'decline') return cashierPage({ ...page, error: 'The payment was declined' });
  if (payment.state !== 'open') return cashierPage({ title: 'This order cannot be paid any more', status: 409 });
  // The hub may be unreachable; a real gateway repeats the notification later.
  await pay(payment.tradeNo).catch(() => undefined);
  return { location: returnUrl(payment) };
}
