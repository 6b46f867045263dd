import type { Language } from '@relay-hub/contract';
import type { MailKind, NoticeKind, TokenNoticeKind } from '#i18n/mail-texts.ts';
import { serverTexts } from '#i18n/texts.ts';

/** A mail without a recipient. */
export interface Email {
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string> | undefined;
  /** Of this mail and of the one that it answers, with angle brackets. */
  messageId?: string;
  inReplyTo?: string;
  references?: string;
}

/** A paragraph of a mail about one event. */
export interface MailEvent {
  kind: NoticeKind | TokenNoticeKind;
  values: Record<string, string | number>;
}

export interface EmailInput {
  kind: MailKind;
  language: Language;
  /** Name of the site. */
  site: string;
  /** A code to type in, shown large. */
  code?: string;
  /** Target of the button. */
  link?: string;
  values?: Record<string, string | number>;
  /** Each in a paragraph. */
  events?: readonly MailEvent[];
  /** More headers of the mail. */
  headers?: Record<string, string>;
}

/** Writes a mail in a language, as plain text and as HTML without external resources. */
export function writeMail({ kind, language, site, code, link, values = {}, events = [], headers }: EmailInput): Email {
  const texts = serverTexts(language).mail;
  const known: Record<string, string | number> = { ...values, site, ...(code !== undefined && { code }) };
  const fill = (text: string, from = known) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => String(from[name] ?? ''));
  const { subject, before, others, action = '', after } = texts[kind];
  const said = others !== undefined && Number(values['others']) > 0 ? [...before, others] : before;
  const told = events.map((event) => fill(texts.events[event.kind], event.values));
  const [top, bottom] = [[...said.map((text) => fill(text)), ...told], after.map((text) => fill(text))];
  const [hint, foot] = [texts.linkHint, fill(texts.sentBy)];
  return {
    // A line break in the site's name would start another header.
    subject: fill(subject).replace(/\s+/g, ' '),
    text: [...top, code, link, ...bottom, `-- \n${foot}`].filter((part) => part !== undefined).join('\n\n'),
    html: page(language, [
      ...top.map(paragraph),
      code === undefined ? '' : codeBox(code),
      link === undefined ? '' : button(link, action) + small(`${escape(hint)}<br>${anchor(link, link)}`),
      ...bottom.map(paragraph),
      small(escape(foot)),
    ]),
    headers,
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

const paragraph = (text: string): string => `<p style="margin:0 0 16px">${escape(text)}</p>`;
const small = (html: string): string =>
  `<p style="margin:0 0 16px;font-size:13px;line-height:18px;color:#475467;word-break:break-all">${html}</p>`;
const anchor = (link: string, text: string): string =>
  `<a href="${escape(link)}" style="color:#2f5bea">${escape(text)}</a>`;

const codeBox = (code: string): string =>
  `<p style="margin:0 0 16px;padding:12px 16px;background:#f6f7f9;border-radius:8px;font:500 26px/34px monospace;letter-spacing:4px">${escape(code)}</p>`;

const button = (link: string, text: string): string =>
  `<p style="margin:0 0 16px"><a href="${escape(link)}" style="display:inline-block;padding:10px 20px;border-radius:8px;background:#2f5bea;color:#ffffff;text-decoration:none;font-weight:500">${escape(text)}</a></p>`;

const page = (language: Language, parts: string[]): string =>
  `<!doctype html><html lang="${language.replace('_', '-')}"><head><meta charset="utf-8"></head>` +
  `<body style="margin:0;padding:24px;background:#f6f7f9"><div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e4e7ec;border-radius:12px;font:15px/22px Roboto,Helvetica,Arial,sans-serif;color:#101828">` +
  `${parts.join('')}</div></body></html>`;
