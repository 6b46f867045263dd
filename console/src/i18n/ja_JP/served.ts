import type { Texts } from '../texts.ts';

export const texts: Texts['served'] = {
  title: '実際に提供された内容',
  text: 'プロバイダーが応答で示した内容の集計です。件数から最後の呼び出しを開けます。',
  calls: '{{calls}} 件',
  none: 'この期間に成功した呼び出しはありません。',
  asAsked: 'リクエストどおり',
  alike: '応答のモデル名：{{model}}',
  other: '応答は別のモデル：{{model}}',
  tier: '要求したサービス階層 {{asked}}、実際は {{served}}',
  usage: {
    none: '応答に使用量がなく、推定で計算',
    unusual: '使用量が内容と大きく異なる',
    implausible: '使用量があり得る範囲を超過',
  },
  fingerprint: 'フィンガープリント {{fingerprint}}、初出',
};
