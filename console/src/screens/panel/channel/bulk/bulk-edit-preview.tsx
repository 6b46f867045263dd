import { batchSkipReasons, type ChannelLimits, type ChannelPreview } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { useLimitWords } from '#screens/panel/channel/form/caps-fields.tsx';
import { changeFields, fieldTexts, type BulkEditField } from './bulk-edit-fields.ts';

interface Props {
  /** Undefined while there is no change. */
  preview: ChannelPreview | undefined;
  error: Error | undefined;
}

const shownRows = 30;

/** The effect on each channel before the change is applied. */
export function BulkEditPreview({ preview, error }: Props) {
  const { t } = useTranslation('channelBulk');
  if (error) return <Note tone="bad">{error.message}</Note>;
  if (!preview) return <p className="text-13 text-text2">{t('nothing')}</p>;
  const { count, changed, skipped, rows, skips } = preview;
  const shown = rows.slice(0, shownRows);
  const reasons = batchSkipReasons.filter((reason) => skips.some((skip) => skip.reason === reason));
  return (
    <section aria-label={t('preview')} className="grid grid-cols-1 gap-2">
      <p role="status" className="text-13">
        <b className="font-title">{changed === 0 ? t('unchanged') : t('changes', { changed, count })}</b>
      </p>
      {skipped > 0 && (
        <Note tone="warn">
          {t('skipped', { count: skipped, why: reasons.map((reason) => t(`why.${reason}`)).join(', ') })}
        </Note>
      )}
      {shown.length > 0 && (
        <ul
          tabIndex={0}
          aria-label={t('preview')}
          className="max-h-52 divide-y divide-line overflow-y-auto rounded-control border border-line2 text-13"
        >
          {shown.map((row) => (
            <li key={row.id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)] gap-x-3 px-3 py-1.5">
              <MiddleCut text={row.name} />
              <span className="min-w-0 break-words">
                {row.changes.map(({ field, before, after }) => (
                  <Move key={field} field={field} before={before} after={after} />
                ))}
              </span>
            </li>
          ))}
          {changed > shown.length && (
            <li className="px-3 py-1.5 text-text2">{t('more', { count: changed - shown.length })}</li>
          )}
        </ul>
      )}
    </section>
  );
}

const names: Record<string, BulkEditField> = { other: 'api_version' };

/** Lists show only added and removed items, which would be lost among the rest. */
function Move({ field, before, after }: ChannelPreview['rows'][number]['changes'][number]) {
  const { t } = useTranslation('channelBulk');
  const words = useLimitWords();
  const known = changeFields.find((each) => each === (names[field] ?? field));
  const title = known && <span className="text-text2">{t(fieldTexts[known])} </span>;
  if (field === 'models' || field === 'group') {
    const [had, has] = [before.split(','), after.split(',')];
    const gone = had.filter((name) => !has.includes(name));
    const come = has.filter((name) => !had.includes(name));
    return (
      <span className="block">
        {title}
        {gone.length > 0 && <del className="text-bad no-underline">− {gone.join(', ')}</del>}{' '}
        {come.length > 0 && <ins className="text-ok no-underline">+ {come.join(', ')}</ins>}
      </span>
    );
  }
  const shown = (text: string) => {
    if (text === '') return t('empty');
    return field === 'limits' ? words(JSON.parse(text) as ChannelLimits) : text; // stored by the server
  };
  return (
    <span className="block tabular-nums">
      {title}
      <span className="text-text2">{shown(before)}</span> → {shown(after)}
    </span>
  );
}
