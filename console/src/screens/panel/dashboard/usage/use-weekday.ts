import { useTranslation } from '#i18n/use-translation.ts';

/** Short weekday of a date (`2026-11-20`). */
export function useWeekday(): (date: string) => string {
  const { i18n } = useTranslation('dashboard');
  const format = new Intl.DateTimeFormat(i18n.language.replace('_', '-'), { weekday: 'short', timeZone: 'UTC' });
  return (date) => format.format(new Date(date));
}
