import { announcementText, type Announcement } from '@relay-hub/contract';
import { isLanguage } from '#i18n/languages.ts';
import { i18n } from '#i18n/t.ts';

/** An announcement in the language of the page, else in any. */
export const textIn = ({ texts }: Pick<Announcement, 'texts'>): string =>
  announcementText(texts, ...[i18n.language].filter(isLanguage));
