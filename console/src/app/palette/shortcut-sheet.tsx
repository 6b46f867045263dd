import { useRouter } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Kbd } from '#ui/basic/chip.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { paletteKey } from '../panel/use-panel-keys.ts';
import { areKeysOn, pagesByKey, setKeysOn } from './shortcuts.ts';

/** All keyboard shortcuts of the console, and a switch for those of a single key. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['palette', 'app']);
  const router = useRouter();
  const [on, setOn] = useState(areKeysOn);
  const toggle = (next: boolean) => {
    setKeysOn(next);
    setOn(next);
  };
  return (
    <Dialog title={t('keys')} onClose={onClose}>
      <dl className="grid grid-cols-2 gap-x-8 max-sm:grid-cols-1">
        <Line name={t('title')} keys={[paletteKey]} />
        <Line name={t('keysSearch')} keys={['/']} />
        <Line name={t('keysRows')} keys={['J', 'K']} />
        <Line name={t('keysOpen')} keys={['Enter']} />
        <Line name={t('keysSheet')} keys={['?']} />
      </dl>
      <h3 className="mt-4 mb-1 text-12 font-normal text-text3">{t('keysGo')}</h3>
      <dl className="grid grid-cols-2 gap-x-8 max-sm:grid-cols-1">
        {pagesByKey(router).map(({ path, titleKey, key }) => (
          <Line key={path} name={t(`app:menu.${titleKey}`)} keys={[key.toUpperCase()]} />
        ))}
      </dl>
      <label className="mt-4 flex items-center justify-between gap-3 border-t border-line pt-4">
        {t('keysOn')}
        <Switch checked={on} onChange={toggle} />
      </label>
    </Dialog>
  );
}

function Line({ name, keys }: { name: ReactNode; keys: readonly string[] }) {
  return (
    <div className="flex h-8 items-center justify-between gap-3 text-13">
      <dt className="truncate text-text2">{name}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dd>
    </div>
  );
}
