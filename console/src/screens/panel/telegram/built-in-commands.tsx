import { botCommands } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

/** Names the commands that the bot answers by itself. */
export function BuiltInCommands() {
  const { t } = useTranslation('telegram');
  const list = <code className="font-mono">{botCommands.map((command) => `/${command}`).join(' ')}</code>;
  return <TextWithElements text={t('builtIn')} parts={{ list }} />;
}
