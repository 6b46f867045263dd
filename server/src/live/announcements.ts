import { type Announcement, announcementText, type CurrentAnnouncement, type Language } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';

type Row = Omit<Announcement, 'created_time' | 'created_by' | 'mail_state' | 'mailed'>;

/** Readers see a planned maintenance this long before. */
const SHOWN_BEFORE_S = 3 * 86_400;

/** Who reads; undefined group: a visitor. */
interface Reader {
  group: string | undefined;
  language: Language;
  /** The site's. */
  fallback: Language;
}

/** Announcements and maintenance windows that have not ended. */
export class Announcements {
  #rows: readonly Row[] = [];
  #windows: readonly Row[] = [];

  async load(db: Db): Promise<void> {
    this.#rows = await db
      .selectFrom('announcements')
      .select(['id', 'kind', 'texts', 'start_time', 'end_time', 'groups', 'languages', 'dismissible'])
      .orderBy('id', 'desc')
      .limit(1000)
      .execute();
    this.#windows = this.#rows.filter(({ kind }) => kind === 'maintenance');
  }

  /** The running maintenance; undefined: none. */
  maintenanceAt(now: number): Row | undefined {
    return this.#windows.find(({ start_time: start, end_time: end }) => start <= now && now < end);
  }

  /** Maintenance that has not ended, the next first. */
  planned(now: number): Row[] {
    return this.#windows.filter(({ end_time: end }) => now < end).toSorted((a, b) => a.start_time - b.start_time);
  }

  /** Announcements for a reader now, maintenance first. */
  currentFor({ group, language, fallback }: Reader, now: number): CurrentAnnouncement[] {
    const seen = this.#rows.filter(
      ({ kind, start_time: start, end_time: end, groups, languages }) =>
        start <= now + (kind === 'maintenance' ? SHOWN_BEFORE_S : 0) &&
        (end === 0 || now < end) &&
        (groups.length === 0 || (group !== undefined && groups.includes(group))) &&
        (languages.length === 0 || languages.includes(language)),
    );
    return seen
      .toSorted((a, b) => Number(b.kind === 'maintenance') - Number(a.kind === 'maintenance'))
      .map(({ texts, groups: _groups, languages: _languages, ...row }) => ({
        ...row,
        text: announcementText(texts, language, fallback),
      }));
  }
}
