import type { CapUse } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';

/** Every cap of a token with its use; caps of the user group are marked. */
export function CapUseList({ uses }: { uses: readonly CapUse[] }) {
  const { t } = useTranslation('token');
  return (
    <ul className="grid grid-cols-1 gap-3">
      {uses.map((use) => (
        <li key={`${use.measure} ${use.period}`}>
          <CapUseBar use={use} />
          {use.of_group && <span className="text-12/4 text-text3">{t('ofGroup')}</span>}
        </li>
      ))}
    </ul>
  );
}
