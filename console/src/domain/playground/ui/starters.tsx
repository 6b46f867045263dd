import { AudioLines, Braces, CodeXml, ImagePlus, PenLine, Wrench } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';
import type { Mode, Settings } from '#domain/playground/playground-types.ts';
import { changeSettings, draftStore } from '#domain/playground/store/playground-store.ts';
import { messageBoxId } from './composer.tsx';

interface Starter {
  key: 'write' | 'code' | 'json' | 'tool' | 'image' | 'speech';
  icon: IconShape;
  settings: Partial<Settings> & { mode: Mode };
}

const weather = {
  name: 'get_weather',
  description: 'Current weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const starters: readonly Starter[] = [
  { key: 'write', icon: PenLine, settings: { mode: 'chat' } },
  { key: 'code', icon: CodeXml, settings: { mode: 'chat' } },
  {
    key: 'json',
    icon: Braces,
    settings: { mode: 'chat', dialect: 'chat', advanced: '{"response_format": {"type": "json_object"}}' },
  },
  { key: 'tool', icon: Wrench, settings: { mode: 'chat', tools: JSON.stringify([weather], null, 2) } },
  { key: 'image', icon: ImagePlus, settings: { mode: 'image' } },
  { key: 'speech', icon: AudioLines, settings: { mode: 'speech' } },
];

/** Examples for the modes that have a model. A click writes the message and its settings; the user sends it. */
export function Starters({ modes }: { modes: ReadonlySet<Mode> }) {
  const { t } = useTranslation('playground');
  const start = ({ key, settings }: Starter) => {
    changeSettings({ size: '', ...settings });
    draftStore.set(t(`starters.${key}.text`));
    document.getElementById(messageBoxId)?.focus();
  };
  return (
    <ul aria-label={t('startersTitle')} className="mx-auto grid max-w-180 grid-cols-2 gap-2.5 max-sm:grid-cols-1">
      {starters
        .filter(({ settings }) => modes.has(settings.mode))
        .map((starter) => (
          <li key={starter.key}>
            <button
              type="button"
              className="flex h-full w-full items-start gap-3 rounded-card border border-line bg-card px-3.5 py-3 text-left hover:bg-hover"
              onClick={() => start(starter)}
            >
              <Icon of={starter.icon} className="mt-0.5 flex-none text-text3" />
              <span className="grid min-w-0 gap-0.5">
                <span className="text-13 font-title">{t(`starters.${starter.key}.title`)}</span>
                <span className="line-clamp-2 text-13 text-text2">{t(`starters.${starter.key}.text`)}</span>
              </span>
            </button>
          </li>
        ))}
    </ul>
  );
}
