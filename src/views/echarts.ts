import { BarChart, LineChart } from 'echarts/charts';
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, SVGRenderer]);
use([DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent]);
use([MarkAreaComponent, MarkLineComponent]);

/** ECharts with the parts that the charts use, and no others. */
export { init };
