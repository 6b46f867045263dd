import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { FlowProps } from './flow-drawing.tsx';
import { useEndText } from './flow-text.tsx';

/** The flow as numbers, for screen readers. */
export function FlowTable({ side, callers, channels }: FlowProps) {
  const { t } = useTranslation('cockpit');
  const caller = useEndText(side);
  const channel = useEndText('channels');
  return (
    <div className="sr-only">
      <table>
        <caption>{t('tableOf', { side: t(side) })}</caption>
        <thead>
          <tr>
            <th scope="col">{t(side)}</th>
            <th scope="col">{t('calls')}</th>
            <th scope="col">{t('legend.refusedOnly')}</th>
            <th scope="col">{t('legend.failed')}</th>
          </tr>
        </thead>
        <tbody>
          {callers.map((end) => (
            <tr key={end.key}>
              <th scope="row">{caller.nameOf(end)}</th>
              <td>{formatWhole(end.size)}</td>
              <td>{formatWhole(end.refused)}</td>
              <td>{formatWhole(end.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <caption>{t('tableOf', { side: t('channels') })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('channels')}</th>
            <th scope="col">{t('attempts')}</th>
            <th scope="col">{t('legend.failed')}</th>
            <th scope="col">{t('state')}</th>
          </tr>
        </thead>
        <tbody>
          {channels.map((end) => (
            <tr key={end.key}>
              <th scope="row">{channel.nameOf(end)}</th>
              <td>{formatWhole(end.size)}</td>
              <td>{formatWhole(end.failed)}</td>
              <td>{t(`states.${end.channel?.state ?? 'well'}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
