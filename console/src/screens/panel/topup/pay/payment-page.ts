import type { PaymentStart, PublicGateway } from '@relay-hub/contract';
import { storage } from '#api/storage.ts';

type Payment = PaymentStart['data'];

/** Other schemes would run in the new tab as a page of this site. */
const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

/** Whether a payment can be opened in a tab. A QR code may contain an address that only an app understands. */
export const canOpen = (payment: Payment): boolean => isWebAddress(payment.url);

/** Opens a tab for a payment page. Browsers block it unless it is called directly in the click handler. */
export function openTab(text: string): Window | null {
  const tab = open('about:blank', '_blank');
  if (!tab) return null;
  // The page of a gateway must not be able to navigate this one.
  tab.opener = null;
  tab.document.title = text;
  tab.document.body.textContent = text;
  return tab;
}

/** Sends the payment to a new tab or to this one: a POST as a form, anything else as a link. */
export function showPayment(tab: Window, { url, method, params = {} }: Payment): void {
  if (!isWebAddress(url)) return tab.close(); // closes only a new tab
  if (method === 'POST') return submitForm(tab.document, url, params);
  const address = new URL(url);
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
  // The empty page of a new tab is not worth a step in its history.
  if (tab === globalThis.window) tab.location.assign(address);
  else tab.location.replace(address);
}

function submitForm(page: Document, url: string, params: Readonly<Record<string, string>>): void {
  const form = page.createElement('form');
  form.method = 'POST';
  form.action = url;
  form.acceptCharset = 'utf-8';
  for (const [name, value] of Object.entries(params)) {
    const input = page.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  page.body.append(form);
  // Not `form.submit`, which a parameter of that name would replace.
  HTMLFormElement.prototype.submit.call(form);
}

const key = (uuid: string) => `payment_by_code:${uuid}`;

/**
 * Whether a gateway is expected to open a page: remembered from its last payment, since a tab for a QR code would appear
 * and vanish.
 */
export function expectsPage({ uuid, type }: Pick<PublicGateway, 'uuid' | 'type'>): boolean {
  const byCode = storage.get(key(uuid));
  return byCode === null ? type !== 'wxpay' : byCode === 'false';
}

export const rememberStart = (uuid: string, start: PaymentStart): void =>
  storage.set(key(uuid), String(start.type === 2));
