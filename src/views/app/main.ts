import { showChart } from './chart.ts';
import { showOverview } from './overview.ts';

// One script for all pages, which are made of the same drawings; a page says which view it shows.
if (document.body.dataset['view'] === 'overview') showOverview();
else showChart();
