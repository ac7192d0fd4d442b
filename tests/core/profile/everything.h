/* SPDX-License-Identifier: MIT */
/* A profile with every member of docs/profile.md. */
#ifndef TEST_PROFILE_EVERYTHING_H
#define TEST_PROFILE_EVERYTHING_H

/* With ' for ". No two figures of one list are the same. */
#define TARGET                                                                                                     \
    "'target':{'type':'IPU_MODEL','architecture':'ipu2','numIPUs':2,'tilesPerIPU':2,'numTiles':4,'numReplicas':2," \
    "'numCopies':3,'bytesPerTile':1001,'clockFrequency':5000,'minSyncDelay':98,'cycleBand':'± 3 "                  \
    "%','cyclesCompared':'a with b',"                                                                              \
    "'relativeSyncDelayByTile':[1,2],'threadsPerTile':6,'grid':{'columns':2,'rows':1,'order':'columns'},"          \
    "'memories':{'UB':1024,'L1':77},"                                                                              \
    "'regions':[{'name':'bank','category':'UB','address':16,'bytes':512}]}"
#define TYPES "'vertexTypes':{'names':['a','b'],'sizes':[4,8]}"

static const char graph_text[] =
    "{'tilewright':{'schema':1,'part':'graph'}," TARGET ",'facts':{'program':'p','host':'h'},"
    "'graph':{'numVertices':11,'numEdges':12,'numVars':13,'numComputeSets':14},"
    "'optimizationInfo':{'merged':3,'share':0.25}," TYPES
    ",'computeSets':{'names':['c','d'],'vertexCounts':[[1,2],[3]],'vertexTypes':[[0,1],[1]]},"
    "'exchanges':{'bytesSentByTile':[[1,2,3,4],[5]],'bytesReceivedByTile':[[6],[7,8]],'cyclesByTile':[[9],[10]],"
    "'codeBytesByTile':[[11],[12]],'content':[13,14]},"
    "'externalExchanges':{'bytesSentByTile':[[21]],'bytesReceivedByTile':[[22]],'estimatedCyclesByTile':[[23]],"
    "'codeBytesByTile':[[24]],'content':[25]},"
    "'hostExchanges':{'bytesSentByTile':[[31]],'bytesReceivedByTile':[[32]],'estimatedCyclesByTile':[[33]],"
    "'codeBytesByTile':[[34]]},"
    "'programs':[{'type':'Sequence','name':'root','children':[1,2]},"
    "{'type':'OnTileExecute','name':'one','computeset':1,'profiled':1,'children':[]},"
    "{'type':'DoExchange','name':'two','exchange':1,'count':5,'children':[]}],"
    "'memory':{'byTile':{'fidelity':'estimated','total':[41,42,43,44],'totalIncludingGaps':[45,46,47,48]},"
    "'byRegion':{'nonInterleaved':[51,52],'interleaved':[53],'overflowed':[54]},"
    "'byCategory':{'variable':{'label':'V','fidelity':'modelled','nonInterleaved':{'nonOverlapped':[61,62],"
    "'overlapped':[63]},'interleaved':{'nonOverlapped':[64],'overlapped':[65]},'overflowed':{'nonOverlapped':[66],"
    "'overlapped':[67]}}},"
    "'byVertexType':{'vertexDataBytes':[[71],[72]],'edgePtrBytes':[[73],[74]],'copyPtrBytes':[[75],[76]],"
    "'paddingBytes':[[77],[78]],'descriptorBytes':[[79],[80]],'codeBytes':[[81],[82]]},"
    "'liveness':{'fidelity':'modelled','alwaysLive':{'bytesByTile':[91,92],'variables':[{'name':'s','bytes':93},"
    "{'name':'t','bytes':94}]},'notAlwaysLive':{'maxBytes':95,'maxBytesByTile':[96,97]},"
    "'programs':[{'program':1,'bytesByTile':[98],'vars':[{'name':'x','bytes':99},{'name':'y','bytes':90}]},"
    "{'program':2,'bytesByTile':[88],'vars':[{'name':'z','bytes':89}]}]},"
    "'map':{'unit':'cycles','names':['m','n'],'tile':[0,1],'map':[0,1],'blocks':[2,1],'address':[100,200,300],"
    "'bytes':[10,20,30],'name':[0,1,1],'category':[1,0,1],'from':[1,2,3],'to':[4,5,6],'used':[3,4,5],'omitted':7},"
    "'variables':{'names':['u','float','w'],'name':[0,2],'type':[1,1],'bytes':[110,111],'elements':[112,113],"
    "'tiles':[3,4],'firstTile':[1,2],'alwaysLive':[1,0],'omitted':8}},"
    "'exchangePairs':{'names':['','FIFO'],'kind':[1,2],'exchange':[1,2],'from':[1,2],'to':[3,0],'bytes':[120,121],"
    "'messages':[122,123],'name':[0,1],'omitted':9}}";
static const char execution_text[] =
    "{'tilewright':{'schema':1,'part':'execution'},'profilerMode':'VERTICES'," TARGET "," TYPES
    ",'vertexCycles':[130,131],'vertexComputeSet':[0,1],'vertexType':[1,0],"
    "'simulation':{'cycles':140,'tileCycles':{'compute':141,'doExchange':142,'globalExchange':143,'streamCopy':144,"
    "'copySharedStructure':145,'sync':146,'activeCompute':147},'cyclesByVertexType':[148,149],"
    "'plan':[{'type':'OnTileExecute','name':'s0','program':1,'computeset':1,'cycles':150,'cyclesOverlapped':10,"
    "'cyclesSpan':145,'cyclesGap':3,'fidelity':'modelled','activeCyclesByTile':[150,151],'dataByTile':[152],"
    "'activeCyclesByVertexType':[{'vertexType':1,'instances':153,'cycles':154,'worst':155,'worstTile':3}],"
    "'work':{'tile':2,'worker':[0,1],'vertexType':[1,0],'from':[156,157],'to':[158,159]}},"
    "{'type':'Sync','name':'s1','syncType':'External','cycles':160,'cyclesOverlapped':0},"
    "{'type':'DoExchange','name':'s2','exchange':1,'cycles':170,'cyclesOverlapped':0,'activeTiles':3,"
    "'tileBalance':0.5,'activeTileBalance':0.625,'threadBalance':0.375,'totalData':171,'dataBalance':0.75,"
    "'work':{'tile':1,'worker':[2],'vertexType':[0],'from':[161],'to':[162]}}],"
    "'trace':{'rules':[{'first':0,'count':3},{'items':[[0,2]]}],"
    "'runs':[{'name':'r','rule':1,'times':2,'microseconds':180.5},{'name':'q','times':3,'microseconds':181}]}},"
    "'intervals':{'names':['core','dma','k','','lock'],'laneTile':[0,3],'laneName':[0,1],'lane':[0,0,1],"
    "'from':[1,4,2],'to':[3,9,8],'name':[2,2,2],'cause':[3,4,3],'partner':[0,2,0],'file':[3,4,4],'line':[0,21,22],'"
    "waitTile':[1,2],"
    "'waitCause':[4,0],'waitPartner':[3,0],'waitCycles':[190,191],'omitted':10},"
    "'motionScale':{'window':64,'block':2},"
    "'motion':{'names':['not yet','never'],'routeTile':[1,2],'routeColor':[3,4],'routeFrom':[5,6],'routeTo':[16,8],"
    "'flowWindow':[0,7,9],'flowTile':[1,2,3],'flowKind':[4,5,8],'flowColor':[255,3,4],'flowAmount':[200,201,202],"
    "'stuckTile':[1,3],'stuckText':[0,1],'omitted':11},"
    "'lines':{'names':['a.csl','@fmacs','b.csl'],'lineFile':[0,2],'lineNumber':[31,32],'lineWhat':[1,"
    "1],"
    "'lineRuns':[210,211],'lineCycles':[212,213],'lineWaits':[214,215],'lineText':[1,1],'omitted':12},"
    "'dataflow':{'names':['fir','kernel','x.txt','PLIO','window'],'nodeName':[0,2],'nodeKind':[1,3],"
    "'nodeGroup':[0,0],'nodeTile':[2,0],'nodeRuns':[220,0],'nodeCycles':[221,0],'nodeWaits':[222,0],'wireFrom':[1,"
    "0],"
    "'wireTo':[0,1],'wireKind':[4,4],'wireBytes':[223,0],'wireMessages':[224,0],'wireHolds':[225,0],'wireBlocks':["
    "2,1],"
    "'wireReaderWaits':[226,0],'wireWriterWaits':[227,0],'omitted':13}}";

#endif
