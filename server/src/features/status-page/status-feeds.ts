import type { StatusReport } from '@relay-hub/contract';

interface Entry {
  id: string;
  title: string;
  content_text: string;
  /** RFC 3339. */
  date_published: string;
  updated: string;
}

interface Site {
  name: string;
  /** Empty: not known. */
  address: string;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
/** Begin and end of the first line, which a list of entries shows. */
const MOST_TITLE = 120;

/** Incidents and maintenance, newest first. */
function entriesOf({ incidents, maintenance }: StatusReport, { address }: Site): Entry[] {
  const entry = (kind: string, id: number, text: string, times: { from: number; updated: number }): Entry => ({
    // A name that stays, wherever the site is.
    id: `${address || 'urn:relay-hub'}/status#${kind}-${id}`,
    title: (text.split('\n')[0] ?? '').slice(0, MOST_TITLE),
    content_text: text,
    date_published: isoTime(times.from),
    updated: isoTime(times.updated),
  });
  return [
    ...maintenance.map(({ id, text, start_time: from }) => entry('maintenance', id, text, { from, updated: from })),
    ...incidents.map(({ id, words, began_at: from, closed_at: end }) =>
      entry('incident', id, words, { from, updated: end || from }),
    ),
  ];
}

/** https://www.jsonfeed.org/version/1.1/ */
export const jsonFeed = (report: StatusReport, site: Site) => ({
  version: 'https://jsonfeed.org/version/1.1',
  title: site.name,
  ...(site.address !== '' && { home_page_url: `${site.address}/status` }),
  items: entriesOf(report, site).map(({ updated: _updated, ...item }) => item),
});

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters are not allowed in XML, not even escaped. */
const escape = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\ufffe\uffff]/gu, '').replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

/** RFC 4287. */
export function atomFeed(report: StatusReport, site: Site): string {
  const entries = entriesOf(report, site);
  const updated =
    entries
      .map((entry) => entry.updated)
      .toSorted()
      .at(-1) ?? isoTime(report.time);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escape(site.address || 'urn:relay-hub')}/status</id>`,
    `<title>${escape(site.name)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escape(site.name)}</name></author>`,
    ...(site.address === '' ? [] : [`<link href="${escape(site.address)}/status"/>`]),
    ...entries.map(
      (entry) =>
        `<entry><id>${escape(entry.id)}</id><title>${escape(entry.title)}</title><updated>${entry.updated}</updated>` +
        `<published>${entry.date_published}</published><content type="text">${escape(entry.content_text)}</content></entry>`,
    ),
    '</feed>',
  ].join('\n');
}
