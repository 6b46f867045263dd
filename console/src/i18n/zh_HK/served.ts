import type { Texts } from '../texts.ts';

export const texts: Texts['served'] = {
  title: '實際提供的服務',
  text: '按上游在回覆中的說法統計，按次數可開啟最近一次呼叫。',
  calls: '{{calls}} 次',
  none: '這段時間沒有成功的呼叫。',
  asAsked: '與請求一致',
  alike: '回覆中的模型名：{{model}}',
  other: '回覆中是另一個模型：{{model}}',
  tier: '請求的服務層級 {{asked}}，實際 {{served}}',
  usage: {
    none: '回覆沒有用量，按估算計費',
    unusual: '用量與內容相差很大',
    implausible: '用量超出可能的範圍',
  },
  fingerprint: '系統指紋 {{fingerprint}}，首次出現',
};
